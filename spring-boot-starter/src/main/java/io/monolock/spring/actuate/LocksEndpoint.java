// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.actuate;

import io.monolock.LockActivity;
import io.monolock.ReactiveLocker;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** What the lockers of this instance hold, wait for and release. Tokens are not shown. */
@Endpoint(id = "locks")
class LocksEndpoint {

  private final Map<String, ReactiveLocker> lockers;

  LocksEndpoint(Map<String, ReactiveLocker> lockers) {
    this.lockers = lockers;
  }

  @ReadOperation
  Locks locks() {
    return new Locks(
        lockers.entrySet().stream()
            .flatMap(
                locker ->
                    locker.getValue().activity().stream()
                        .map(activity -> LockInUse.of(locker.getKey(), activity)))
            .toList());
  }

  /**
   * The answer.
   *
   * @param locks one for each lock, in no order
   */
  record Locks(List<LockInUse> locks) implements OperationResponseBody {}

  /**
   * One lock.
   *
   * @param locker the name of the locker's bean
   * @param id distinguishes acquisitions, the same as observers get
   * @param state waiting, held or releasing
   * @param ageMillis since it was asked for, while it is waited for; then since it was granted
   * @param remainingMillis how long it may still be trusted without a refresh
   */
  record LockInUse(
      String locker,
      long id,
      Set<String> keys,
      String state,
      long ageMillis,
      long remainingMillis) {

    static LockInUse of(String locker, LockActivity activity) {
      return new LockInUse(
          locker,
          activity.id(),
          activity.keys(),
          activity.state().name().toLowerCase(Locale.ROOT),
          activity.age().toMillis(),
          activity.remaining().toMillis());
    }
  }
}
