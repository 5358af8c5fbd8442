// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import java.util.Set;

/** What an observation knows of its lock. */
public final class LockObservationContext extends Observation.Context {

  private final LockObservationDocumentation observation;
  private final Set<String> keys;
  private final String keyGroup;
  private final boolean showsKeys;
  private volatile String outcome = KeyValue.NONE_VALUE;
  private volatile String reason = KeyValue.NONE_VALUE;

  LockObservationContext(
      LockObservationDocumentation observation,
      Set<String> keys,
      String keyGroup,
      boolean showsKeys) {
    this.observation = observation;
    this.keys = keys;
    this.keyGroup = keyGroup;
    this.showsKeys = showsKeys;
  }

  void ended(String outcome, String reason) {
    this.outcome = outcome;
    this.reason = reason;
  }

  /**
   * Which observation this is.
   *
   * @return acquiring or holding
   */
  public LockObservationDocumentation observation() {
    return observation;
  }

  /**
   * The keys of the lock, whether or not they may be shown.
   *
   * @return the keys, sorted; immutable
   */
  public Set<String> keys() {
    return keys;
  }

  /**
   * The group of the keys.
   *
   * @return as in the tag {@code key.group} of the meters
   */
  public String keyGroup() {
    return keyGroup;
  }

  /**
   * Whether keys may be shown.
   *
   * @return what {@link MicrometerLockObserver.Builder#showKeys} says
   */
  public boolean showsKeys() {
    return showsKeys;
  }

  /**
   * How it ended.
   *
   * @return as in the tag {@code outcome} of the meters; {@code none} until it has ended
   */
  public String outcome() {
    return outcome;
  }

  /**
   * Why it ended in this way.
   *
   * @return as in the tag {@code reason} of the meters, or {@code none}
   */
  public String reason() {
    return reason;
  }
}
