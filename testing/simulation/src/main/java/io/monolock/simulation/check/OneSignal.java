// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

/** Every subscriber is signalled an end, once; {@link Watch} looks at what comes after it. */
final class OneSignal extends Rule {

  OneSignal(Checker checker) {
    super(checker);
  }

  @Override
  void ended(Call call) {
    boolean isSingle = call.kind != Call.Kind.SCOPE && call.kind != Call.Kind.WHILE_HELD;
    if (isSingle && call.values.size() > 1) {
      broken("several values of " + call.kind, call.keys.asList().get(0), call.toString());
    }
  }

  @Override
  void atEnd() {
    for (Call call : checker.calls) {
      if (!call.isOver() && !call.instance.process().isDead()) {
        broken("no end of " + call.kind, call.keys.asList().get(0), call.toString());
      }
    }
  }
}
