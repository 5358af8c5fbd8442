// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of {@link MicrometerLockObserver}: their names, key values and events.
 *
 * <p>Their names differ from those of the meters: a handler that makes a timer of each observation
 * would otherwise make a second meter of the same name with other tags.
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

  /** From the subscription to the end of an acquisition. */
  ACQUIRING("monolock.acquiring", "acquire lock"),

  /** From the grant of a lock to its release, or to its loss. */
  HOLDING("monolock.holding", "hold lock");

  /** Key values of few different values. */
  public enum LowCardinality implements KeyName {
    /** The group of the keys, as in the tag of the meters. */
    KEY_GROUP("key.group"),
    /** How it ended, as in the tag of the meters; {@code none} until then. */
    OUTCOME("outcome"),
    /** Why, as in the tag of the meters; {@code none} if there is nothing to say. */
    REASON("reason");

    private final String text;

    LowCardinality(String text) {
      this.text = text;
    }

    @Override
    public String asString() {
      return text;
    }
  }

  /** Key values of many different values. */
  public enum HighCardinality implements KeyName {
    /** The keys, separated by commas; only if {@link MicrometerLockObserver.Builder#showKeys}. */
    KEYS("monolock.keys");

    private final String text;

    HighCardinality(String text) {
      this.text = text;
    }

    @Override
    public String asString() {
      return text;
    }
  }

  /** Events during an observation. */
  public enum Event implements Observation.Event {
    /** An acquisition has to wait. */
    CONTENDED("contended"),
    /** A refresh of a lock failed and is tried again. */
    REFRESH_FAILED("refresh.failed");

    private final String text;

    Event(String text) {
      this.text = text;
    }

    @Override
    public String getName() {
      return text;
    }
  }

  /** The name of its meters, if a handler makes some. */
  final String technicalName;

  /** The name of its span, if a handler makes one. */
  final String spanName;

  LockObservationDocumentation(String technicalName, String spanName) {
    this.technicalName = technicalName;
    this.spanName = spanName;
  }

  @Override
  public Class<? extends ObservationConvention<? extends Observation.Context>>
      getDefaultConvention() {
    return LockObservationConvention.class;
  }

  @Override
  public KeyName[] getLowCardinalityKeyNames() {
    return LowCardinality.values();
  }

  @Override
  public KeyName[] getHighCardinalityKeyNames() {
    return HighCardinality.values();
  }

  @Override
  public Observation.Event[] getEvents() {
    return Event.values();
  }
}
