// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.util.List;
import java.util.Locale;

/**
 * An event of a call that a worker recorded: one line of its JVM's output. Times are {@link
 * System#nanoTime()}, one clock for all processes of the machine.
 */
sealed interface CallEvent {

  /** The time of the event. */
  long at();

  /** The id of the call. */
  String call();

  /** The line. */
  String line();

  /** A text about the event, with times in milliseconds since the origin. */
  String text(long origin);

  /**
   * A caller subscribed.
   *
   * @param call the id of the call
   * @param what the request
   */
  record CallBegan(long at, String call, String what) implements CallEvent {
    @Override
    public String line() {
      return String.join("\t", "began", "" + at, call, what);
    }

    @Override
    public String text(long origin) {
      return "%s ms: %s began %s".formatted(millis(origin, at), call, what);
    }
  }

  /**
   * A caller got its outcome, or has cancelled. More than one outcome of a call is a violation.
   *
   * @param call the id of the call
   * @param outcome {@code value}, {@code empty}, {@code cancelled}, or the error
   */
  record CallEnded(long at, String call, String outcome) implements CallEvent {

    static final String VALUE = "value";
    static final String EMPTY = "empty";
    static final String CANCELLED = "cancelled";

    @Override
    public String line() {
      return String.join("\t", "ended", "" + at, call, outcome);
    }

    @Override
    public String text(long origin) {
      return "%s ms: %s ended with %s".formatted(millis(origin, at), call, outcome);
    }
  }

  /**
   * A handle was held. A handle that was seen invalid never becomes valid again, so one that is
   * seen valid has been valid since it was received.
   *
   * @param at when it was received
   * @param sent when the command that granted it was sent, computed from its deadline, or before
   * @param call the id of the call that received it
   * @param keys the locked keys
   * @param fence its fencing token
   * @param validUntil when it was last seen valid; {@link #NEVER} if it never was
   * @param invalidSince when it was first seen invalid; {@link #NEVER} if it never was
   * @param notified when its body was cancelled, was notified of the loss, or ended by itself
   * @param late how late the latest thread of its JVM ran from invalidSince to notified
   * @param listens whether its body has to be notified
   * @param revived whether it was seen valid after it was seen invalid
   */
  record HandleHeld(
      long at,
      long sent,
      String call,
      List<String> keys,
      long fence,
      long validUntil,
      long invalidSince,
      long notified,
      long late,
      boolean listens,
      boolean revived)
      implements CallEvent {

    static final long NEVER = Long.MIN_VALUE;

    @Override
    public String line() {
      return String.join(
          "\t",
          "held",
          "" + at,
          call,
          "" + sent,
          String.join(",", keys),
          "" + fence,
          "" + validUntil,
          "" + invalidSince,
          "" + notified,
          "" + late,
          "" + listens,
          "" + revived);
    }

    @Override
    public String text(long origin) {
      return "%s ms: %s holds %s with fencing token %d; valid until %s ms, invalid since %s ms,"
              .formatted(
                  millis(origin, at),
                  call,
                  keys,
                  fence,
                  millis(origin, validUntil),
                  millis(origin, invalidSince))
          + " notified or ended %s ms, threads late by %s ms%s%s"
              .formatted(
                  millis(origin, notified),
                  millis(0, late),
                  listens ? "" : ", not to be notified",
                  revived ? ", VALID AGAIN" : "");
    }

    boolean wasValid() {
      return validUntil != NEVER;
    }
  }

  private static String millis(long origin, long at) {
    return at == HandleHeld.NEVER ? "-" : String.format(Locale.ROOT, "%.3f", (at - origin) / 1e6);
  }

  /** Reads a line. */
  static CallEvent parse(String line) {
    List<String> words = List.of(line.split("\t", -1));
    long at = Long.parseLong(words.get(1));
    String call = words.get(2);
    return switch (words.get(0)) {
      case "began" -> new CallBegan(at, call, words.get(3));
      case "ended" -> new CallEnded(at, call, words.get(3));
      case "held" ->
          new HandleHeld(
              at,
              Long.parseLong(words.get(3)),
              call,
              List.of(words.get(4).split(",")),
              Long.parseLong(words.get(5)),
              Long.parseLong(words.get(6)),
              Long.parseLong(words.get(7)),
              Long.parseLong(words.get(8)),
              Long.parseLong(words.get(9)),
              Boolean.parseBoolean(words.get(10)),
              Boolean.parseBoolean(words.get(11)));
      default -> throw new IllegalArgumentException("no event: " + line);
    };
  }
}
