// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StrangerTest {

  @Test
  void itKeepsWhatItIsSentAndSaysNothing() throws IOException {
    try (Stranger stranger = Stranger.silent();
        PlainClient client = new PlainClient(stranger.port())) {
      client.send("AUTH secret");

      await().until(() -> stranger.received().contains("AUTH secret"));
    }
  }

  @Test
  void itSaysTheSameToEachAndHangsUp() throws IOException {
    byte[] answer = "-ERR no\r\n".getBytes(StandardCharsets.US_ASCII);
    try (Stranger stranger = Stranger.answering(answer)) {
      for (int i = 0; i < 2; i++) {
        try (PlainClient client = new PlainClient(stranger.port())) {
          assertThat(client.ask("PING")).isEqualTo("-ERR no");
          assertThat(client.readLine()).isNull();
        }
      }
    }
  }
}
