// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import org.jspecify.annotations.Nullable;

/** The meters of {@link MicrometerLockObserver}: their names, types and tags. */
public enum LockMeterDocumentation implements MeterDocumentation {

  /** From the subscription to the end of an acquisition, with a lock or without. */
  WAIT("monolock.wait", Meter.Type.TIMER, Tag.GRANTED),

  /** From the grant of a lock to its release, or to its loss. */
  HOLD("monolock.hold", Meter.Type.TIMER, Tag.OUTCOME),

  /** Acquisitions that have ended, by outcome. */
  ACQUISITIONS("monolock.acquisitions", Meter.Type.COUNTER, Tag.OUTCOME),

  /** Acquisitions that had to wait: for another holder, for others in line, or for the store. */
  CONTENDED("monolock.contended", Meter.Type.COUNTER),

  /** Acquisitions that failed because the store did, by reason. */
  STORE_TROUBLE("monolock.store.trouble", Meter.Type.COUNTER, Tag.REASON),

  /** Refreshes that failed and are tried again until the deadline, by reason. */
  REFRESH_FAILURES("monolock.refresh.failures", Meter.Type.COUNTER, Tag.REASON),

  /** Locks that were lost while they were held, or reached their deadline unreleased. */
  LOST("monolock.lost", Meter.Type.COUNTER, Tag.REASON),

  /** Locks that were granted after their caller had gone, and are released again. */
  ABANDONED("monolock.abandoned", Meter.Type.COUNTER),

  /** Acquisitions that wait now. */
  WAITING("monolock.waiting", Meter.Type.GAUGE),

  /** Locks that are held now. */
  HELD("monolock.held", Meter.Type.GAUGE);

  /** The tags of the meters. */
  public enum Tag implements KeyName {

    /**
     * The group that the {@code keyGroup} function gives for the keys; {@code all} without a
     * function, {@code unknown} if it failed, {@code other} beyond the largest number of groups.
     */
    KEY_GROUP("key.group"),

    /** Whether the acquisition ended with a lock: {@code true} or {@code false}. */
    GRANTED("granted"),

    /**
     * How it ended. An acquisition: {@code granted}, {@code refused} (a single attempt, or others
     * wait), {@code timed_out} (waited in vain), {@code cancelled}, {@code store_trouble}, {@code
     * closed} (the locker), {@code failed} (an error of the retry spec's own). A hold: {@code
     * released}, {@code not_ours} (a release found the keys gone), {@code lost}.
     */
    OUTCOME("outcome"),

    /**
     * Why: a {@link io.monolock.LockLostException.Reason} or {@link
     * io.monolock.store.StoreProblem.Reason} in lower case.
     */
    REASON("reason");

    private final String text;

    Tag(String text) {
      this.text = text;
    }

    @Override
    public String asString() {
      return text;
    }
  }

  private final String text;
  private final Meter.Type type;

  /** The tag besides that of the group, null for none. */
  private final @Nullable Tag tag;

  LockMeterDocumentation(String text, Meter.Type type) {
    this(text, type, null);
  }

  LockMeterDocumentation(String text, Meter.Type type, @Nullable Tag tag) {
    this.text = text;
    this.type = type;
    this.tag = tag;
  }

  @Override
  public String getName() {
    return text;
  }

  @Override
  public Meter.Type getType() {
    return type;
  }

  @Override
  public KeyName[] getKeyNames() {
    return tag == null ? new KeyName[] {Tag.KEY_GROUP} : new KeyName[] {Tag.KEY_GROUP, tag};
  }
}
