// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.FaultProxy;
import java.time.Duration;
import java.util.List;

/** How links fail. */
final class NetworkFaults {

  private static final int ACCEPT_ATTEMPTS = 20;

  private final List<NamedProxy> links;

  private NetworkFaults(List<NamedProxy> links) {
    this.links = links;
  }

  /** All that can befall these links. */
  static List<Fault> of(List<NamedProxy> links) {
    NetworkFaults faults = new NetworkFaults(links);
    return List.of(
        faults::cut,
        faults::cutAll,
        faults::refuse,
        faults::delayRequests,
        faults::delayReplies,
        faults::dropReplies,
        faults::dropRequests,
        faults::swallowAll);
  }

  private void cut(FaultInjector nemesis, int number, Duration time) {
    nemesis.happens("cut a link", "cut the link" + owner(number));
    proxy(number).cut();
  }

  private void cutAll(FaultInjector nemesis, int number, Duration time) {
    nemesis.happens("cut all links");
    links.forEach(link -> link.proxy().cut());
  }

  private void refuse(FaultInjector nemesis, int number, Duration time) {
    nemesis.begins("cut a link, refuse", owner(number), time);
    FaultProxy proxy = proxy(number);
    proxy.refuse();
    proxy.cut();
    nemesis.endsAfter(time, () -> accept(nemesis, proxy, ACCEPT_ATTEMPTS));
  }

  /** Another process may have been given the port meanwhile, and soon gives it back. */
  private static void accept(FaultInjector nemesis, FaultProxy proxy, int attempts) {
    try {
      proxy.accept();
    } catch (IllegalStateException e) {
      if (attempts == 1) {
        throw e;
      }
      nemesis.endsAfter(Duration.ofMillis(100), () -> accept(nemesis, proxy, attempts - 1));
    }
  }

  private void delayRequests(FaultInjector nemesis, int number, Duration time) {
    Duration delay = nemesis.millis(10, 400);
    nemesis.begins("delay requests", by(number, delay), time);
    proxy(number).delayRequests(delay);
    nemesis.endsAfter(time, () -> proxy(number).delayRequests(Duration.ZERO));
  }

  private void delayReplies(FaultInjector nemesis, int number, Duration time) {
    Duration delay = nemesis.millis(10, 400);
    nemesis.begins("delay replies", by(number, delay), time);
    proxy(number).delayReplies(delay);
    nemesis.endsAfter(time, () -> proxy(number).delayReplies(Duration.ZERO));
  }

  private void dropReplies(FaultInjector nemesis, int number, Duration time) {
    nemesis.begins("drop replies", owner(number), time);
    proxy(number).dropReplies(true);
    nemesis.endsAfter(time, () -> proxy(number).dropReplies(false));
  }

  private void dropRequests(FaultInjector nemesis, int number, Duration time) {
    nemesis.begins("drop requests", owner(number), time);
    proxy(number).dropRequests(true);
    nemesis.endsAfter(time, () -> proxy(number).dropRequests(false));
  }

  private void swallowAll(FaultInjector nemesis, int number, Duration time) {
    nemesis.begins("swallow all traffic", owner(number), time);
    proxy(number).blackHole(true);
    nemesis.endsAfter(time, () -> proxy(number).blackHole(false));
  }

  private FaultProxy proxy(int number) {
    return links.get(number).proxy();
  }

  private String owner(int number) {
    return " of " + links.get(number).name();
  }

  private String by(int number, Duration delay) {
    return owner(number) + " by " + delay.toMillis() + " ms";
  }
}
