// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.monolock.test.ClientJvm;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Keys are UTF-8 whatever the default charset of the JVM is. */
class CharsetTest {

  @RegisterExtension private final Lockers lockers = new Lockers();

  @Test
  void slotsAreThoseOfUtf8() {
    ClientJvm jvm =
        lockers.closing(
            ClientJvm.start(List.of("-Dfile.encoding=US-ASCII"), WithAsciiCharset.class));
    assumeThat(jvm.readLine()).isEqualTo("US-ASCII");

    assertThat(jvm.readLine()).as("keys of two slots").isEqualTo("refused");
    assertThat(jvm.readLine()).as("keys of one slot").isEqualTo("accepted");
  }
}
