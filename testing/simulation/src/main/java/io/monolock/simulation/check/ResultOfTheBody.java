// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.LockLostException;
import io.monolock.LockerClosedException;

/** What a body said before the deadline is what its caller gets, and nothing that it said later. */
final class ResultOfTheBody extends Rule {

  ResultOfTheBody(Checker checker) {
    super(checker);
  }

  @Override
  void ended(Call call) {
    BodyRun body = call.body;
    if (body == null || call.cancelled) {
      return;
    }
    Throwable error = body.error;
    boolean mayBeLost = !body.wasValidAtEnd;
    if (error != null) {
      expect(call, call.error == error, "an error of the body is replaced");
    } else if (body.completed && !mayBeLost) {
      expect(call, call.completed, "a result of the body is replaced");
      expect(call, !call.completed || call.values.equals(body.values), "another result");
    } else if (body.completed && !checker.facts(body.handle.token).releaseAsked) {
      expect(call, call.error instanceof LockLostException, "a result after the deadline");
    } else if (body.cancelled) {
      expect(
          call,
          call.error instanceof LockLostException || call.error instanceof LockerClosedException,
          "a body is stopped without a reason");
    }
  }

  private void expect(Call call, boolean kept, String otherwise) {
    if (!kept) {
      broken(
          otherwise,
          call.keys.asList().get(0),
          call + " was signalled " + call.values + call.error);
    }
  }
}
