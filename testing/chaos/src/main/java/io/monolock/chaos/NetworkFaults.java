// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.FaultProxy;
import java.time.Duration;
import java.util.List;

/** The faults of proxies. */
final class NetworkFaults {

  private static final int ACCEPT_ATTEMPTS = 20;

  private final List<NamedProxy> proxies;

  private NetworkFaults(List<NamedProxy> proxies) {
    this.proxies = proxies;
  }

  /** All faults of these proxies. */
  static List<Fault> of(List<NamedProxy> proxies) {
    NetworkFaults faults = new NetworkFaults(proxies);
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

  private void cut(FaultInjector injector, int number, Duration time) {
    injector.happens("cut a link", "cut the link" + owner(number));
    proxy(number).cut();
  }

  private void cutAll(FaultInjector injector, int number, Duration time) {
    injector.happens("cut all links");
    proxies.forEach(named -> named.proxy().cut());
  }

  private void refuse(FaultInjector injector, int number, Duration time) {
    injector.begins("cut a link, refuse", owner(number), time);
    FaultProxy proxy = proxy(number);
    proxy.refuse();
    proxy.cut();
    injector.endsAfter(time, () -> accept(injector, proxy, ACCEPT_ATTEMPTS));
  }

  /** Another process may have got the port meanwhile, and soon releases it. */
  private static void accept(FaultInjector injector, FaultProxy proxy, int attempts) {
    try {
      proxy.accept();
    } catch (IllegalStateException e) {
      if (attempts == 1) {
        throw e;
      }
      injector.endsAfter(Duration.ofMillis(100), () -> accept(injector, proxy, attempts - 1));
    }
  }

  private void delayRequests(FaultInjector injector, int number, Duration time) {
    Duration delay = injector.millis(10, 400);
    injector.begins("delay requests", by(number, delay), time);
    proxy(number).delayRequests(delay);
    injector.endsAfter(time, () -> proxy(number).delayRequests(Duration.ZERO));
  }

  private void delayReplies(FaultInjector injector, int number, Duration time) {
    Duration delay = injector.millis(10, 400);
    injector.begins("delay replies", by(number, delay), time);
    proxy(number).delayReplies(delay);
    injector.endsAfter(time, () -> proxy(number).delayReplies(Duration.ZERO));
  }

  private void dropReplies(FaultInjector injector, int number, Duration time) {
    injector.begins("drop replies", owner(number), time);
    proxy(number).dropReplies(true);
    injector.endsAfter(time, () -> proxy(number).dropReplies(false));
  }

  private void dropRequests(FaultInjector injector, int number, Duration time) {
    injector.begins("drop requests", owner(number), time);
    proxy(number).dropRequests(true);
    injector.endsAfter(time, () -> proxy(number).dropRequests(false));
  }

  private void swallowAll(FaultInjector injector, int number, Duration time) {
    injector.begins("swallow all traffic", owner(number), time);
    proxy(number).blackHole(true);
    injector.endsAfter(time, () -> proxy(number).blackHole(false));
  }

  private FaultProxy proxy(int number) {
    return proxies.get(number).proxy();
  }

  private String owner(int number) {
    return " of " + proxies.get(number).name();
  }

  private String by(int number, Duration delay) {
    return owner(number) + " by " + delay.toMillis() + " ms";
  }
}
