// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.store.Grant.Busy;
import io.monolock.store.Grant.Granted;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others see in Redis, and what we make of what they write. */
@ExtendWith(RedisExtension.class)
class WireFormatTest extends StoreOnRedis {

  /** How redislock for Go and others release: only if the value starts with their token. */
  private static final String RELEASE_OF_OTHERS =
      "if string.sub(redis.call('get', KEYS[1]), 1, #ARGV[1]) == ARGV[1] then"
          + " return redis.call('del', KEYS[1]) else return 0 end";

  private RedisServer server;
  private RedisLockStore store;

  @BeforeEach
  void createStore(RedisServer ofClass) {
    server = ofClass;
    store = storeOn(ofClass);
  }

  private void assertForeign(String key, Duration remaining) {
    assertThat(((Busy) acquire(store, A, ALICE)).remaining().orElseThrow())
        .isBetween(remaining.minusSeconds(20), remaining);
    assertThat(acquire(store, AB, ALICE)).isInstanceOf(Busy.class);
    assertThat(result(store.extend(A, ALICE, LONG))).isFalse();
    assertThat(result(store.release(A, ALICE, Duration.ZERO))).isFalse();
    assertThat(result(store.remaining(A, ALICE))).isZero();
    assertThat(server.commandAsLong("EXISTS", key, "lock:b")).isOne();
  }

  @Test
  void theValueIsTheTokenAndTheMetadata() {
    result(store.acquire(AB, ALICE, "", LONG, false));
    assertThat(server.commandAsString("GET", "lock:a")).isEqualTo(ALICE);
    result(store.acquire(AB, ALICE, "of node 7", LONG, false));
    assertThat(server.commandAsString("GET", "lock:a")).isEqualTo(ALICE + "of node 7");
    assertThat(server.commandAsString("GET", "lock:b")).isEqualTo(ALICE + "of node 7");
    assertThat(server.commandAsLong("PTTL", "lock:b")).isBetween(40_000L, 60_000L);
    assertThat(server.commandAsLong("DBSIZE")).isEqualTo(2);
  }

  @Test
  void othersCanReleaseWithTheirScripts() {
    result(store.acquire(A, ALICE, "of node 7", LONG, false));
    assertThat(server.commandAsLong("EVAL", RELEASE_OF_OTHERS, "1", "lock:a", BOB)).isZero();
    assertThat(server.commandAsLong("EVAL", RELEASE_OF_OTHERS, "1", "lock:a", ALICE)).isOne();
    assertThat(result(store.release(A, ALICE, Duration.ZERO))).isFalse();
  }

  @Test
  void othersCannotTakeWhatIsHeld() {
    acquire(store, A, ALICE);
    assertThat(server.command("SET", "lock:a", BOB, "NX", "PX", "1000")).isNull();
  }

  @Test
  void aLockOfRedislockIsRespected() {
    server.command("SET", "lock:a", BOB + "{\"node\":7}", "NX", "PX", "30000");
    assertForeign("lock:a", Duration.ofSeconds(30));
    assertThat(result(store.inspect("lock:a")).metadata()).contains("{\"node\":7}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1", "0123456789abcdef0123456789abcdef01234567", "\u00fc\u2192\u0000"})
  void anyOtherStringIsRespected(String value) {
    server.command("SET", "lock:a", value, "NX", "PX", "30000");
    assertForeign("lock:a", Duration.ofSeconds(30));
  }

  /** B41 */
  @Test
  void aKeyWithoutTimeToLiveIsBusyForEver() {
    server.command("SET", "lock:a", "data");
    assertThat(acquire(store, A, ALICE)).isEqualTo(new Busy(Optional.empty()));
    acquire(store, B, BOB);
    assertThat(acquire(store, AB, ALICE)).isEqualTo(new Busy(Optional.empty()));
    assertThat(result(store.inspect("lock:a")))
        .isEqualTo(new Holder("lock:a", Optional.empty(), Optional.empty()));
  }

  @Test
  @DisplayName("B60: an own key that lost its ttl has none left, and gets one again")
  void anOwnKeyThatLostItsTimeToLiveGetsOneAgain() {
    acquire(store, A, ALICE);
    server.command("PERSIST", "lock:a");
    assertThat(result(store.remaining(A, ALICE))).isZero();
    assertThat(result(store.extend(A, ALICE, LONG))).isTrue();
    assertThat(server.commandAsLong("PTTL", "lock:a")).isPositive();
    server.command("PERSIST", "lock:a");
    acquire(store, A, ALICE);
    assertThat(server.commandAsLong("PTTL", "lock:a")).isPositive();
  }

  @Test
  void theFenceIsTheNumberAndTheTokenForADay() {
    Granted granted = (Granted) result(store.acquire(AB, ALICE, "metadata", LONG, true));
    long number = granted.fencingToken().orElseThrow();
    for (String key : new String[] {"lock:a:fence", "lock:b:fence"}) {
      assertThat(server.commandAsString("GET", key)).isEqualTo(number + " " + ALICE);
      assertThat(server.commandAsLong("TTL", key)).isBetween(86_300L, 86_400L);
    }
    assertThat(number / 1_000)
        .isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis() + 60_000);
  }

  @Test
  void aFenceAheadOfTheClockGoesOnByOne() {
    long ahead = (1L << 52) - 10;
    server.command("SET", "lock:a:fence", ahead + " " + BOB);
    assertThat(result(store.acquire(AB, ALICE, "", LONG, true)))
        .isEqualTo(new Granted(true, OptionalLong.of(ahead + 1)));
    assertThat(result(store.acquire(AB, ALICE, "", LONG, true)))
        .isEqualTo(new Granted(false, OptionalLong.of(ahead + 1)));
    assertThat(result(store.transfer(AB, ALICE, BOB, "", LONG, true)).grant())
        .isEqualTo(new Granted(true, OptionalLong.of(ahead + 2)));
  }

  @Test
  void fencingNumbersThatAreUsedUpAreAnErrorThatTakesNothing() {
    server.command("SET", "lock:b:fence", ((1L << 52) - 1) + " " + BOB);
    assertThat(failure(store.acquire(AB, ALICE, "", LONG, true)).reason()).isEqualTo(Reason.MISUSE);
    assertThat(server.commandAsLong("EXISTS", "lock:a", "lock:b", "lock:a:fence")).isZero();
    acquire(store, AB, ALICE);
    assertThat(failure(store.transfer(AB, ALICE, BOB, "", LONG, true)).reason())
        .isEqualTo(Reason.MISUSE);
    assertThat(result(store.remaining(AB, ALICE))).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "data", "-5 x", "1.5 x", "12"})
  void anotherValueAtTheFenceIsAnErrorThatTakesNothing(String value) {
    server.command("SET", "lock:b:fence", value);
    assertThat(failure(store.acquire(AB, ALICE, "", LONG, true)))
        .hasMessageContaining("lock:b:fence")
        .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.MISUSE));
    assertThat(server.commandAsLong("EXISTS", "lock:a", "lock:b", "lock:a:fence")).isZero();
    acquire(store, AB, ALICE);
    assertThat(failure(store.transfer(AB, ALICE, BOB, "", LONG, true)).reason())
        .isEqualTo(Reason.MISUSE);
    assertThat(failure(store.raiseFence(AB, ALICE, 5)).reason()).isEqualTo(Reason.MISUSE);
    assertThat(server.commandAsLong("EXISTS", "lock:a:fence")).isZero();
  }

  /** B84 */
  @Test
  void aKeyOfAnotherTypeIsMisuseAndNothingIsTaken() {
    server.command("RPUSH", "lock:b", "element");
    for (var call : callsOfTheHolder(store, B)) {
      assertThat(failure(call).reason()).isEqualTo(Reason.MISUSE);
    }
    assertThat(failure(store.acquire(AB, ALICE, "", LONG, true)).isTransient()).isFalse();
    assertThat(server.commandAsLong("EXISTS", "lock:a", "lock:a:fence")).isZero();
    assertThat(server.commandAsLong("LLEN", "lock:b")).isOne();
    assertThat(result(store.inspect("lock:b")))
        .isEqualTo(new Holder("lock:b", Optional.empty(), Optional.empty()));
  }

  @Test
  void aHugeForeignValueIsNotFetchedWhole() {
    server.command("SET", "lock:a", ALICE + "x".repeat(1_000_000));
    assertThat(result(store.inspect("lock:a")).metadata().orElseThrow()).hasSize(64 * 1_024);
  }

  /** B89: composed and decomposed spellings are different keys. */
  @Test
  void keysAreTheirBytes() {
    acquire(store, LockKeys.of("\u00fc"), ALICE);
    assertThat(acquire(store, LockKeys.of("u\u0308"), BOB)).isInstanceOf(Granted.class);
    assertThat(server.commandAsLong("DBSIZE")).isEqualTo(2);
  }
}
