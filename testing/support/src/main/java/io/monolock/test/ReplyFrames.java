// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

/**
 * Follows a stream of RESP2 or RESP3, byte by byte, and finds where a reply begins.
 *
 * <p>It keeps no bytes, only how many values the frame still lacks: an aggregate adds the number
 * that it announces, an attribute its entries, which precede the value that it belongs to. A push
 * message is a frame of its own but no reply. Once the stream is not RESP, as the snapshot that a
 * replica receives is not, no more replies are found in it.
 */
final class ReplyFrames {

  private enum Part {
    TYPE,
    NUMBER,
    TEXT,
    BODY,
    NOT_RESP
  }

  private static final String WITH_TEXT = "+-:_#,(";
  private static final String WITH_BODY = "$=!";
  private static final String WITH_VALUES = "*~>%|";

  private Part part = Part.TYPE;
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
    return lackingValues == 0 && part == Part.TYPE;
  }

  /** Takes the next byte of the stream. */
  void accept(byte next) {
    switch (part) {
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
      case NOT_RESP -> {}
    }
  }

  private static boolean isType(char next) {
    return (WITH_TEXT + WITH_BODY + WITH_VALUES).indexOf(next) >= 0;
  }

  private void type(char next) {
    if (!isType(next)) {
      part = Part.NOT_RESP;
      return;
    }
    if (lackingValues == 0) {
      lackingValues = 1;
    }
    type = next;
    number = 0;
    negative = false;
    part = WITH_TEXT.indexOf(next) >= 0 ? Part.TEXT : Part.NUMBER;
  }

  private void number(char next) {
    if (next == '-') {
      negative = true;
    } else if (next >= '0' && next <= '9') {
      number = number * 10 + (next - '0');
    } else if (next == '\n') {
      endNumber();
    } else if (next != '\r') {
      part = Part.NOT_RESP;
    }
  }

  private void endNumber() {
    if (negative) {
      endValue();
    } else if (WITH_BODY.indexOf(type) >= 0) {
      lackingBytes = number + 2;
      part = Part.BODY;
    } else {
      lackingValues += type == '%' || type == '|' ? 2 * number : number;
      if (type == '|') {
        part = Part.TYPE;
      } else {
        endValue();
      }
    }
  }

  private void endValue() {
    lackingValues--;
    part = Part.TYPE;
  }
}
