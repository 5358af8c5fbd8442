// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.test.RedisServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Small shows, sold on a real Redis server. */
@Timeout(60)
class QuickstartRunTest {

  @Test
  void sellsEverySeatOnceUnderTheLock() {
    Screen screen = Screen.of("--seats=30", "--instances=2", "--buyers=8");

    assertThat(screen.err()).isEmpty();
    assertThat(screen.exitCode()).isZero();
    assertThat(figures(screen, "seats sold")).element(1).isEqualTo("30");
    assertThat(figures(screen, "sold twice")).element(1).isEqualTo("0");
    // besides the 30 sales each of the 16 buyers finds out that there is no seat left
    assertThat(figures(screen, "acquisitions")).containsExactly("46");
    assertThat(figures(screen, "fencing tokens increase")).containsExactly("yes");
    assertThat(figures(screen, "locks left in Redis")).containsExactly("0");
    assertThat(screen.out()).endsWith("Under the lock no seat was sold twice.%n".formatted());
  }

  @Test
  void sellsSeatsTwiceWithoutTheLock() {
    Screen screen = Screen.of("--seats=30", "--instances=2", "--buyers=8");

    int sold = Integer.parseInt(figures(screen, "seats sold").get(0));
    int soldTwice = Integer.parseInt(figures(screen, "sold twice").get(0));
    assertThat(soldTwice).isPositive().isEqualTo(sold - 30);
  }

  @Test
  void refreshesTheLockWhenASaleOutlastsIt() {
    Screen screen =
        Screen.of("--seats=1", "--instances=2", "--buyers=1", "--ttl=1s", "--hold=1200ms");

    assertThat(screen.exitCode()).isZero();
    assertThat(figures(screen, "sold twice")).element(1).isEqualTo("0");
    assertThat(Integer.parseInt(figures(screen, "refreshes").get(0))).isPositive();
  }

  @Test
  void leavesNothingButTheFenceInTheUsersRedis() {
    try (RedisServer redis = RedisServer.start()) {
      Screen screen =
          Screen.of("--redis=" + redis.uri(), "--seats=5", "--instances=2", "--buyers=2");

      assertThat(screen.exitCode()).isZero();
      assertThat(redis.command("KEYS", "*")).isEqualTo(List.of("show:42:fence"));
    }
  }

  @Test
  void exitsWithOneWhenSeatsAreSoldTwiceUnderTheLock() {
    try (RedisServer redis = RedisServer.start()) {
      CompletableFuture<Screen> run =
          CompletableFuture.supplyAsync(
              () -> Screen.of("--redis=" + redis.uri(), "--seats=20", "--hold=20ms"));
      while (!run.isDone()) {
        redis.command("DEL", "show:42"); // takes the lock from its holder
      }

      assertThat(run.join().exitCode()).isEqualTo(1);
      assertThat(run.join().out())
          .endsWith("THE LOCK HAS FAILED: under it seats were sold twice.%n".formatted());
    }
  }

  @Test
  void exitsWithThreeWhenRedisGoesAway() {
    try (RedisServer redis = RedisServer.start()) {
      CompletableFuture<Screen> run =
          CompletableFuture.supplyAsync(
              () -> Screen.of("--redis=" + redis.uri(), "--seats=1000", "--hold=10ms"));
      while (redis.commandAsLong("EXISTS", "show:42:seats-left") == 0) {
        Thread.onSpinWait();
      }
      redis.kill();

      Screen screen = run.join();
      assertThat(screen.exitCode()).isEqualTo(3);
      assertThat(screen.err().lines())
          .singleElement()
          .asString()
          .startsWith("The sale broke off: ");
    }
  }

  private static List<String> figures(Screen screen, String row) {
    String line = screen.out().lines().filter(text -> text.startsWith(row)).reduce("", (a, b) -> b);
    return List.of(line.substring(row.length()).strip().split(" +"));
  }
}
