// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters for the keys of a lock, by the group that a function of the user gives. Whatever that
 * function does, every lock has meters, and the number of groups is limited.
 */
final class KeyGroups {

  static final String ALL = "all";
  static final String UNKNOWN = "unknown";
  static final String OTHER = "other";

  private static final Logger LOG = LoggerFactory.getLogger(MicrometerLockObserver.class);

  private final Function<? super Set<String>, ? extends @Nullable String> keyGroup;
  private final Function<String, GroupMeters> make;
  private final int most;
  private final Map<String, GroupMeters> groups = new ConcurrentHashMap<>();
  private final AtomicBoolean warnedOfFailure = new AtomicBoolean();
  private final AtomicBoolean warnedOfMany = new AtomicBoolean();

  KeyGroups(
      Function<? super Set<String>, ? extends @Nullable String> keyGroup,
      int most,
      Function<String, GroupMeters> make) {
    this.keyGroup = keyGroup;
    this.most = most;
    this.make = make;
  }

  GroupMeters of(Set<String> keys) {
    String group = group(keys);
    GroupMeters meters = groups.get(group);
    return meters != null ? meters : first(group);
  }

  private String group(Set<String> keys) {
    try {
      String group = keyGroup.apply(keys);
      if (group != null && !group.isBlank()) {
        return group;
      }
      warnOnce(warnedOfFailure, "the keyGroup function gave no group", null);
    } catch (RuntimeException | Error e) {
      warnOnce(warnedOfFailure, "the keyGroup function failed", e);
    }
    return UNKNOWN;
  }

  private GroupMeters first(String group) {
    if (groups.size() < most || group.equals(UNKNOWN)) {
      return groups.computeIfAbsent(group, make);
    }
    warnOnce(warnedOfMany, "the keyGroup function gives more than " + most + " groups", null);
    return groups.computeIfAbsent(OTHER, make);
  }

  private static void warnOnce(AtomicBoolean warned, String what, @Nullable Throwable e) {
    if (warned.compareAndSet(false, true)) {
      LOG.warn(
          "{}; such locks count as \"unknown\" or \"other\", and this is logged once", what, e);
    }
  }
}
