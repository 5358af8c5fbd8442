// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyFramesTest {

  private static final String NEXT = "+NEXT\r\n";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "+OK\r\n",
        "-ERR *3 $5 is no frame\r\n",
        ":-1\r\n",
        "$5\r\n+A\r\n:\r\n",
        "$0\r\n\r\n",
        "$-1\r\n",
        "*-1\r\n",
        "*0\r\n",
        "*2\r\n$3\r\nkey\r\n$-1\r\n",
        "*2\r\n*2\r\n:1\r\n*0\r\n*1\r\n*1\r\n+deep\r\n",
        "_\r\n",
        "#t\r\n",
        ",3.14\r\n",
        "(3492890328409238509324850943850943825024385\r\n",
        "!5\r\nERR x\r\n",
        "=7\r\ntxt:abc\r\n",
        "%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n:2\r\n",
        "~2\r\n:1\r\n:2\r\n",
        "|1\r\n+ttl\r\n:3600\r\n*2\r\n:1\r\n:2\r\n",
        "*2\r\n|1\r\n+ttl\r\n:3600\r\n:1\r\n:2\r\n",
      })
  void oneReplyOfEachKind(String reply) {
    assertThat(begins(reply + NEXT)).containsExactly(0, reply.length());
  }

  @Test
  void aPushMessageIsNoReply() {
    String push = ">3\r\n+message\r\n+channel\r\n$2\r\nhi\r\n";
    assertThat(begins(push + NEXT + push + NEXT))
        .containsExactly(push.length(), 2 * push.length() + NEXT.length());
  }

  @Test
  void aStreamThatIsNotRespHasNoReplies() {
    assertThat(begins("\u0016\u0003\u0001" + NEXT)).isEmpty();
    assertThat(begins("$x\r\n" + NEXT)).containsExactly(0);
  }

  private static List<Integer> begins(String stream) {
    ReplyFrames frames = new ReplyFrames();
    byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
    List<Integer> begins = new ArrayList<>();
    for (int i = 0; i < bytes.length; i++) {
      if (frames.beginsReply(bytes[i])) {
        begins.add(i);
      }
      frames.accept(bytes[i]);
    }
    return begins;
  }
}
