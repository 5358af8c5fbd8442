// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

/**
 * Follows a stream of RESP2 or RESP3, byte by byte, and knows where in it a reply begins.
 *
 * <p>It keeps no bytes, only how many values the frame still lacks: an aggregate adds those that it
 * announces, an attribute those that stand before the value that it belongs to. A push message is a
 * frame of its own but no reply. Once the stream is not RESP, as the snapshot that a replica
 * receives is not, no more replies are found in it.
 */
final class ReplyFrames {

  private enum State {
    TYPE,
    NUMBER,
    TEXT,
    BODY,
    FOREIGN
  }

  private static final String WITH_TEXT = "+-:_#,(";
  private static final String WITH_BODY = "$=!";
  private static final String WITH_VALUES = "*~>%|";

  private State state = State.TYPE;
  private long lackingValues;
  private long lackingBytes;
  private char type;
  private long number;
  private boolean negative;

  /** Whether the byte, if it is the next of the stream, is the first of a reply. */
  boolean beginsReply(byte next) {
    return isBetween() && next != '>' && isType((char) next);
  }

  /** Whether all that has begun has come to its end. */
  boolean isBetween() {
    return lackingValues == 0 && state == State.TYPE;
  }

  /** Takes the next byte of the stream. */
  void accept(byte next) {
    switch (state) {
      case TYPE -> type((char) next);
      case NUMBER -> number((char) next);
      case TEXT -> {
        if (next == '\n') {
          endValue();
        }
      }
      case BODY -> {
        lackingBytes--;
        if (lackingBytes == 0) {
          endValue();
        }
      }
      case FOREIGN -> {}
    }
  }

  private static boolean isType(char next) {
    return (WITH_TEXT + WITH_BODY + WITH_VALUES).indexOf(next) >= 0;
  }

  private void type(char next) {
    if (!isType(next)) {
      state = State.FOREIGN;
      return;
    }
    if (lackingValues == 0) {
      lackingValues = 1;
    }
    type = next;
    number = 0;
    negative = false;
    state = WITH_TEXT.indexOf(next) >= 0 ? State.TEXT : State.NUMBER;
  }

  private void number(char next) {
    if (next == '-') {
      negative = true;
    } else if (next >= '0' && next <= '9') {
      number = number * 10 + (next - '0');
    } else if (next == '\n') {
      endNumber();
    } else if (next != '\r') {
      state = State.FOREIGN;
    }
  }

  private void endNumber() {
    if (negative) {
      endValue();
    } else if (WITH_BODY.indexOf(type) >= 0) {
      lackingBytes = number + 2;
      state = State.BODY;
    } else {
      lackingValues += type == '%' || type == '|' ? 2 * number : number;
      if (type == '|') {
        state = State.TYPE;
      } else {
        endValue();
      }
    }
  }

  private void endValue() {
    lackingValues--;
    state = State.TYPE;
  }
}
