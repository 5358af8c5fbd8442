// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.monolock.store.Grant.Busy;
import io.monolock.store.Grant.Granted;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * What every {@link LockStore} has to do. The test class of a store implements this interface and
 * thereby gets all tests; it needs nothing but {@link #store()}.
 */
public interface LockStoreContract {

  /** The token of one holder. */
  String ALICE = "Alice-Alice-Alice-Alic";

  /** The token of another holder; it differs from {@link #ALICE} only at its end. */
  String ALICE_TOO = "Alice-Alice-Alice-Alix";

  /** The token of a third holder. */
  String BOB = "Bob_Bob_Bob_Bob_Bob_Bo";

  /** Some single key. */
  LockKeys A = LockKeys.of("lock:{contract}:a");

  /** Another single key. */
  LockKeys B = LockKeys.of("lock:{contract}:b");

  /** Both keys. */
  LockKeys AB = LockKeys.of(List.of("lock:{contract}:a", "lock:{contract}:b"));

  /** Longer than any test. */
  Duration LONG = Duration.ofSeconds(60);

  /** Much longer than any test. */
  Duration LONGER = Duration.ofSeconds(600);

  /** Over soon, but not at once. */
  Duration SHORT = Duration.ofMillis(60);

  /**
   * The store under test.
   *
   * @return the same store throughout a test; empty at its beginning
   */
  LockStore store();

  private <T> T result(Mono<T> call) {
    return call.single().block(Duration.ofSeconds(20));
  }

  private Grant acquire(LockKeys keys, String token, Duration ttl) {
    return result(store().acquire(keys, token, "", ttl, false));
  }

  private long fenced(LockKeys keys, String token) {
    return number(result(store().acquire(keys, token, "", LONG, true)));
  }

  private static long number(Grant grant) {
    return ((Granted) grant).fencingToken().orElseThrow();
  }

  private boolean extend(LockKeys keys, String token, Duration ttl) {
    return result(store().extend(keys, token, ttl));
  }

  private boolean release(LockKeys keys, String token) {
    return release(keys, token, Duration.ZERO);
  }

  private boolean release(LockKeys keys, String token, Duration keepFor) {
    return result(store().release(keys, token, keepFor));
  }

  private Duration remaining(LockKeys keys, String token) {
    return result(store().remaining(keys, token));
  }

  private Transfer transfer(LockKeys keys, String from, String to, boolean fenced) {
    return result(store().transfer(keys, from, to, "", LONG, fenced));
  }

  private Optional<Holder> inspect(LockKeys key) {
    return store().inspect(key.asList().get(0)).blockOptional(Duration.ofSeconds(20));
  }

  private static Granted fresh() {
    return new Granted(true, OptionalLong.empty());
  }

  private static Granted reentered() {
    return new Granted(false, OptionalLong.empty());
  }

  private static void assertAbout(Duration expected, Duration actual) {
    assertThat(actual).isBetween(expected.minusSeconds(20), expected);
  }

  private static void assertBusy(Duration expected, Grant grant) {
    assertThat(grant).isInstanceOf(Busy.class);
    assertAbout(expected, ((Busy) grant).remaining().orElseThrow());
  }

  private void awaitFree(LockKeys keys, String token) {
    await().untilAsserted(() -> assertThat(remaining(keys, token)).isZero());
  }

  // acquire

  @Test
  default void aFreeKeyIsGrantedFresh() {
    assertThat(acquire(A, ALICE, LONG)).isEqualTo(fresh());
    assertAbout(LONG, remaining(A, ALICE));
  }

  @Test
  default void severalFreeKeysAreGrantedTogether() {
    assertThat(acquire(AB, ALICE, LONG)).isEqualTo(fresh());
    assertAbout(LONG, remaining(A, ALICE));
    assertAbout(LONG, remaining(B, ALICE));
    assertAbout(LONG, remaining(AB, ALICE));
  }

  @Test
  default void aRepeatedAcquisitionReenters() {
    acquire(AB, ALICE, LONG);
    assertThat(acquire(AB, ALICE, LONG)).isEqualTo(reentered());
    assertThat(release(AB, ALICE)).isTrue();
    assertThat(inspect(A)).isEmpty();
  }

  @Test
  default void aHeldKeyIsBusyForOthersAndSaysHowLong() {
    acquire(A, ALICE, LONG);
    assertBusy(LONG, acquire(A, BOB, LONGER));
    assertAbout(LONG, remaining(A, ALICE));
  }

  @Test
  default void busySaysTheLongestTimeOfAllForeignKeys() {
    acquire(A, ALICE, LONG);
    acquire(B, ALICE_TOO, LONGER);
    assertBusy(LONGER, acquire(AB, BOB, LONG));
  }

  @Test
  default void busyDoesNotCountOwnKeys() {
    acquire(A, BOB, LONGER);
    acquire(B, ALICE, LONG);
    assertBusy(LONG, acquire(AB, BOB, LONG));
  }

  @Test
  default void severalKeysAreTakenAllOrNone() {
    acquire(B, ALICE, LONG);
    assertThat(acquire(AB, BOB, LONG)).isInstanceOf(Busy.class);
    assertThat(inspect(A)).isEmpty();
    assertThat(acquire(A, BOB, LONG)).isEqualTo(fresh());
  }

  @Test
  default void aRefusedSetOfKeysLeavesTheOwnOneAsItWas() {
    result(store().acquire(A, BOB, "before", LONG, false));
    acquire(B, ALICE, LONG);
    assertThat(result(store().acquire(AB, BOB, "after", LONGER, true))).isInstanceOf(Busy.class);
    assertAbout(LONG, remaining(A, BOB));
    assertThat(inspect(A).orElseThrow().metadata()).contains("before");
  }

  @Test
  default void oneKeyAndASetWithItExcludeEachOther() {
    acquire(AB, ALICE, LONG);
    assertThat(acquire(A, BOB, LONG)).isInstanceOf(Busy.class);
    assertThat(acquire(B, BOB, LONG)).isInstanceOf(Busy.class);
    assertThat(release(AB, ALICE)).isTrue();
    acquire(A, BOB, LONG);
    assertThat(acquire(AB, ALICE, LONG)).isInstanceOf(Busy.class);
  }

  @Test
  default void aTokenThatHoldsSomeKeysMayTakeMore() {
    acquire(A, ALICE, LONGER);
    assertThat(acquire(AB, ALICE, LONG)).isEqualTo(reentered());
    assertAbout(LONGER, remaining(A, ALICE));
    assertAbout(LONG, remaining(B, ALICE));
  }

  @Test
  default void reenteringNeverShortens() {
    acquire(A, ALICE, LONGER);
    assertThat(acquire(A, ALICE, SHORT)).isEqualTo(reentered());
    assertAbout(LONGER, remaining(A, ALICE));
  }

  @Test
  default void reenteringProlongs() {
    acquire(A, ALICE, LONG);
    assertThat(acquire(A, ALICE, LONGER)).isEqualTo(reentered());
    assertAbout(LONGER, remaining(A, ALICE));
  }

  @Test
  default void reenteringWritesTheMetadataAnew() {
    result(store().acquire(A, ALICE, "first", LONG, false));
    result(store().acquire(A, ALICE, "second", LONG, false));
    assertThat(inspect(A).orElseThrow().metadata()).contains("second");
  }

  @Test
  default void tokensThatDifferOnlyAtTheirEndAreDifferent() {
    acquire(A, ALICE, LONG);
    assertThat(acquire(A, ALICE_TOO, LONG)).isInstanceOf(Busy.class);
    assertThat(extend(A, ALICE_TOO, LONG)).isFalse();
    assertThat(release(A, ALICE_TOO)).isFalse();
    assertThat(remaining(A, ALICE_TOO)).isZero();
  }

  @Test
  default void metadataIsNoPartOfTheToken() {
    result(store().acquire(A, ALICE, BOB, LONG, false));
    assertThat(acquire(A, BOB, LONG)).isInstanceOf(Busy.class);
    assertThat(release(A, BOB)).isFalse();
    assertThat(release(A, ALICE)).isTrue();
  }

  @Test
  default void aKeyIsFreeWhenItsTimeIsOver() {
    acquire(A, ALICE, SHORT);
    await().untilAsserted(() -> assertThat(acquire(A, BOB, LONG)).isEqualTo(fresh()));
    assertThat(extend(A, ALICE, LONG)).isFalse();
    assertThat(release(A, ALICE)).isFalse();
    assertAbout(LONG, remaining(A, BOB));
  }

  @Test
  default void oneMillisecondIsATimeToLive() {
    assertThat(acquire(A, ALICE, Duration.ofMillis(1))).isEqualTo(fresh());
    awaitFree(A, ALICE);
  }

  @Test
  default void aYearIsATimeToLive() {
    Duration year = Duration.ofDays(365);
    acquire(AB, ALICE, year);
    assertAbout(year, remaining(AB, ALICE));
    assertBusy(year, acquire(A, BOB, LONG));
    assertThat(extend(AB, ALICE, year)).isTrue();
    assertAbout(year, remaining(AB, ALICE));
  }

  @Test
  default void ofManyAtOnceExactlyOneIsGranted() {
    List<Grant> grants =
        Flux.range(10, 16)
            .flatMap(
                i ->
                    store()
                        .acquire(AB, "Crowd-Crowd-Crowd-Cr" + i, "", LONG, true)
                        .subscribeOn(Schedulers.boundedElastic()))
            .collectList()
            .block(Duration.ofSeconds(20));
    assertThat(grants).hasSize(16);
    assertThat(grants).filteredOn(Granted.class::isInstance).hasSize(1);
  }

  // extend

  @Test
  default void extendProlongsEveryKey() {
    acquire(AB, ALICE, LONG);
    assertThat(extend(AB, ALICE, LONGER)).isTrue();
    assertAbout(LONGER, remaining(A, ALICE));
    assertAbout(LONGER, remaining(B, ALICE));
  }

  @Test
  default void extendNeverShortens() {
    acquire(A, ALICE, LONGER);
    acquire(B, ALICE, LONG);
    assertThat(extend(AB, ALICE, SHORT)).isTrue();
    assertAbout(LONGER, remaining(A, ALICE));
    assertAbout(LONG, remaining(B, ALICE));
  }

  @Test
  default void extendChangesNothingUnlessEveryKeyIsHeld() {
    acquire(A, ALICE, LONG);
    assertThat(extend(AB, ALICE, LONGER)).isFalse();
    acquire(B, BOB, LONG);
    assertThat(extend(AB, ALICE, LONGER)).isFalse();
    assertAbout(LONG, remaining(A, ALICE));
    assertAbout(LONG, remaining(B, BOB));
  }

  @Test
  default void extendDoesNotReviveAFreeKey() {
    assertThat(extend(A, ALICE, LONG)).isFalse();
    assertThat(inspect(A)).isEmpty();
  }

  @Test
  default void extendKeepsTheMetadata() {
    result(store().acquire(A, ALICE, "kept", LONG, false));
    assertThat(extend(A, ALICE, LONGER)).isTrue();
    assertThat(inspect(A).orElseThrow().metadata()).contains("kept");
  }

  // release

  @Test
  default void aReleasedKeyIsFree() {
    acquire(AB, ALICE, LONG);
    assertThat(release(AB, ALICE)).isTrue();
    assertThat(inspect(A)).isEmpty();
    assertThat(acquire(AB, BOB, LONG)).isEqualTo(fresh());
  }

  @Test
  default void aSecondReleaseIsFalse() {
    acquire(A, ALICE, LONG);
    assertThat(release(A, ALICE)).isTrue();
    assertThat(release(A, ALICE)).isFalse();
  }

  @Test
  default void releaseChangesNothingUnlessEveryKeyIsHeld() {
    acquire(A, ALICE, LONG);
    assertThat(release(AB, ALICE)).isFalse();
    acquire(B, BOB, LONG);
    assertThat(release(AB, ALICE)).isFalse();
    assertThat(release(AB, ALICE, LONGER)).isFalse();
    assertAbout(LONG, remaining(A, ALICE));
    assertAbout(LONG, remaining(B, BOB));
  }

  @Test
  default void aReleaseCanKeepTheKeysForAShorterTime() {
    acquire(AB, ALICE, LONGER);
    assertThat(release(AB, ALICE, LONG)).isTrue();
    assertAbout(LONG, remaining(AB, ALICE));
    assertThat(acquire(A, BOB, LONG)).isInstanceOf(Busy.class);
  }

  @Test
  default void aReleaseCanKeepTheKeysForALongerTime() {
    acquire(AB, ALICE, LONG);
    assertThat(release(AB, ALICE, LONGER)).isTrue();
    assertAbout(LONGER, remaining(AB, ALICE));
  }

  @Test
  default void keysThatAReleaseKeptAreFreeAfterwards() {
    acquire(A, ALICE, LONG);
    assertThat(release(A, ALICE, SHORT)).isTrue();
    awaitFree(A, ALICE);
    assertThat(acquire(A, BOB, LONG)).isEqualTo(fresh());
  }

  // remaining

  @Test
  default void remainingIsTheShortestOfAllKeys() {
    acquire(A, ALICE, LONGER);
    acquire(B, ALICE, LONG);
    assertAbout(LONG, remaining(AB, ALICE));
  }

  @Test
  default void remainingIsZeroUnlessEveryKeyIsHeld() {
    assertThat(remaining(AB, ALICE)).isZero();
    acquire(A, ALICE, LONG);
    assertThat(remaining(AB, ALICE)).isZero();
    acquire(B, BOB, LONG);
    assertThat(remaining(AB, ALICE)).isZero();
  }

  // transfer

  @Test
  default void transferHandsAllKeysOver() {
    result(store().acquire(AB, ALICE, "Alice's", LONGER, false));
    Transfer transfer = result(store().transfer(AB, ALICE, BOB, "Bob's", LONG, false));
    assertThat(transfer).isEqualTo(new Transfer(true, fresh()));
    assertThat(remaining(A, ALICE)).isZero();
    assertAbout(LONG, remaining(AB, BOB));
    assertThat(inspect(B).orElseThrow().metadata()).contains("Bob's");
  }

  @Test
  default void aRepeatedTransferIsGrantedAgain() {
    acquire(AB, ALICE, LONG);
    transfer(AB, ALICE, BOB, false);
    assertThat(transfer(AB, ALICE, BOB, false)).isEqualTo(new Transfer(false, reentered()));
    assertAbout(LONG, remaining(AB, BOB));
  }

  @Test
  default void transferOfKeysThatBecameFreeIsGranted() {
    assertThat(transfer(AB, ALICE, BOB, false)).isEqualTo(new Transfer(false, fresh()));
    assertAbout(LONG, remaining(AB, BOB));
  }

  @Test
  default void transferOfKeysOfAnotherHolderIsBusy() {
    acquire(AB, ALICE_TOO, LONGER);
    Transfer transfer = transfer(AB, ALICE, BOB, false);
    assertThat(transfer.released()).isFalse();
    assertBusy(LONGER, transfer.grant());
    assertAbout(LONGER, remaining(AB, ALICE_TOO));
  }

  @Test
  default void transferOfKeysThatAreHeldInPartIsBusy() {
    acquire(A, ALICE, LONG);
    Transfer transfer = transfer(AB, ALICE, BOB, true);
    assertThat(transfer.released()).isFalse();
    assertBusy(LONG, transfer.grant());
    assertAbout(LONG, remaining(A, ALICE));
    assertThat(inspect(B)).isEmpty();
  }

  // fencing numbers

  @Test
  default void withoutFencingThereIsNoNumber() {
    assertThat(((Granted) acquire(A, ALICE, LONG)).fencingToken()).isEmpty();
  }

  @Test
  default void fencingNumbersArePositiveAndExact() {
    assertThat(fenced(A, ALICE)).isBetween(1L, 1L << 52);
  }

  @Test
  default void fencingNumbersIncreaseFromHolderToHolder() {
    long last = 0;
    for (String token : List.of(ALICE, BOB, ALICE, ALICE, BOB)) {
      long number = fenced(A, token);
      assertThat(number).isGreaterThan(last);
      last = number;
      assertThat(release(A, token)).isTrue();
    }
  }

  @Test
  default void fencingNumbersIncreaseAfterAnExpiry() {
    long first = number(result(store().acquire(A, ALICE, "", SHORT, true)));
    awaitFree(A, ALICE);
    assertThat(fenced(A, BOB)).isGreaterThan(first);
  }

  @Test
  default void fencingNumbersIncreaseWithUnfencedHoldersInBetween() {
    long first = fenced(A, ALICE);
    release(A, ALICE);
    acquire(A, BOB, LONG);
    release(A, BOB);
    assertThat(fenced(A, ALICE)).isGreaterThan(first);
  }

  @Test
  default void severalKeysGetOneNumberAboveThatOfEach() {
    long a = fenced(A, ALICE);
    assertThat(result(store().raiseFence(A, ALICE, a + 1_000_000_000L))).isTrue();
    long b = fenced(B, BOB);
    release(A, ALICE);
    release(B, BOB);
    long both = fenced(AB, ALICE);
    assertThat(both).isGreaterThan(a + 1_000_000_000L).isGreaterThan(b);
    release(AB, ALICE);
    assertThat(fenced(B, BOB)).isGreaterThan(both);
    assertThat(fenced(A, BOB)).isGreaterThan(both);
  }

  @Test
  default void aRepeatedAcquisitionHasTheSameNumber() {
    long number = fenced(AB, ALICE);
    assertThat(fenced(AB, ALICE)).isEqualTo(number);
    acquire(AB, ALICE, LONG);
    assertThat(fenced(AB, ALICE)).isEqualTo(number);
  }

  @Test
  default void anAcquisitionOfMoreKeysHasANewNumber() {
    long number = fenced(A, ALICE);
    long more = fenced(AB, ALICE);
    assertThat(more).isGreaterThan(number);
    assertThat(fenced(AB, ALICE)).isEqualTo(more);
  }

  @Test
  default void keysTakenOneByOneGetANewNumberTogether() {
    long a = fenced(A, ALICE);
    long b = fenced(B, ALICE);
    assertThat(fenced(AB, ALICE)).isGreaterThan(a).isGreaterThan(b);
  }

  @Test
  default void fencingThatIsAskedForLaterGivesANewNumber() {
    long number = fenced(A, ALICE);
    release(A, ALICE);
    acquire(A, BOB, LONG);
    assertThat(fenced(A, BOB)).isGreaterThan(number);
  }

  @Test
  default void aTransferGivesANewNumberAndItsRepetitionTheSame() {
    long first = fenced(AB, ALICE);
    long second = number(transfer(AB, ALICE, BOB, true).grant());
    assertThat(second).isGreaterThan(first);
    assertThat(number(transfer(AB, ALICE, BOB, true).grant())).isEqualTo(second);
    assertThat(fenced(AB, BOB)).isEqualTo(second);
  }

  @Test
  default void aRaisedFenceLiftsLaterNumbers() {
    long number = fenced(AB, ALICE);
    long raised = number + 1_000_000_000L;
    assertThat(result(store().raiseFence(AB, ALICE, raised))).isTrue();
    assertThat(result(store().raiseFence(AB, ALICE, raised))).isTrue();
    release(AB, ALICE);
    assertThat(fenced(A, BOB)).isGreaterThan(raised);
    assertThat(fenced(B, BOB)).isGreaterThan(raised);
  }

  @Test
  default void raisingNeverLowersTheFence() {
    long far = fenced(A, ALICE) + 1_000_000_000L;
    assertThat(result(store().raiseFence(A, ALICE, far))).isTrue();
    assertThat(result(store().raiseFence(A, ALICE, 1))).isTrue();
    release(A, ALICE);
    assertThat(fenced(A, BOB)).isGreaterThan(far);
  }

  @Test
  default void onlyTheHolderOfEveryKeyRaisesTheFence() {
    long far = fenced(A, ALICE) + 1_000_000_000_000L;
    assertThat(result(store().raiseFence(A, BOB, far))).isFalse();
    assertThat(result(store().raiseFence(AB, ALICE, far))).isFalse();
    release(A, ALICE);
    assertThat(fenced(A, BOB)).isLessThan(far);
  }

  // observers and operators

  @Test
  default void aFreeKeyHasNoHolder() {
    assertThat(inspect(A)).isEmpty();
  }

  @Test
  default void inspectShowsMetadataAndTimeButNotTheToken() {
    String metadata = "node 7, \u00fcber\u2192all \ud83d\udd12";
    result(store().acquire(A, ALICE, metadata, LONG, false));
    Holder holder = inspect(A).orElseThrow();
    assertThat(holder.key()).isEqualTo(A.asList().get(0));
    assertThat(holder.metadata()).contains(metadata);
    assertAbout(LONG, holder.remaining().orElseThrow());
    assertThat(holder.toString()).doesNotContain(ALICE);
  }

  @Test
  default void inspectShowsThatThereIsNoMetadata() {
    acquire(A, ALICE, LONG);
    assertThat(inspect(A).orElseThrow().metadata()).contains("");
  }

  @Test
  default void aForcedReleaseFreesTheKeyWhateverItsToken() {
    acquire(AB, ALICE, LONG);
    assertThat(result(store().forceRelease(A.asList().get(0)))).isTrue();
    assertThat(inspect(A)).isEmpty();
    assertThat(extend(AB, ALICE, LONG)).isFalse();
    assertThat(result(store().forceRelease(A.asList().get(0)))).isFalse();
    assertThat(acquire(A, BOB, LONG)).isEqualTo(fresh());
  }

  @Test
  default void fencingNumbersIncreaseAfterAForcedRelease() {
    long number = fenced(A, ALICE);
    result(store().forceRelease(A.asList().get(0)));
    assertThat(fenced(A, BOB)).isGreaterThan(number);
  }

  @Test
  default void aStoreThatReportsItsHealthNamesItsTopologyAndFailsOnceItIsClosed() {
    Optional<StoreHealth> health = store().health().blockOptional(Duration.ofSeconds(20));
    health.ifPresent(
        reported -> {
          assertThat(reported.topology()).isNotBlank();
          store().close().block(Duration.ofSeconds(20));
          assertThatExceptionOfType(StoreFailure.class)
              .isThrownBy(() -> result(store().health()))
              .satisfies(failure -> assertThat(failure.isTransient()).isFalse());
        });
  }

  // as a whole

  @Test
  default void keysAreSetsOfAnySize() {
    LockKeys many =
        LockKeys.of(
            IntStream.range(0, LockKeys.MAX_KEYS).mapToObj(i -> "lock:{contract}:" + i).toList());
    assertThat(result(store().acquire(many, ALICE, "", LONG, true))).isInstanceOf(Granted.class);
    assertThat(acquire(LockKeys.of("lock:{contract}:1000"), BOB, LONG)).isInstanceOf(Busy.class);
    assertThat(extend(many, ALICE, LONGER)).isTrue();
    assertAbout(LONGER, remaining(many, ALICE));
    assertThat(transfer(many, ALICE, BOB, true).released()).isTrue();
    assertThat(release(many, BOB)).isTrue();
    assertThat(inspect(LockKeys.of("lock:{contract}:1000"))).isEmpty();
  }

  @Test
  default void nothingHappensBeforeACallIsSubscribed() {
    Mono<Grant> later = store().acquire(A, ALICE, "", LONG, false);
    assertThat(inspect(A)).isEmpty();
    assertThat(result(later)).isEqualTo(fresh());
    store().release(A, ALICE, Duration.ZERO);
    store().extend(A, ALICE, LONGER);
    store().transfer(A, ALICE, BOB, "", LONG, false);
    store().raiseFence(A, ALICE, 1);
    store().forceRelease(A.asList().get(0));
    store().close();
    assertAbout(LONG, remaining(A, ALICE));
  }

  @Test
  default void eachSubscriptionIsACallOfItsOwn() {
    Mono<Grant> call = store().acquire(A, ALICE, "", LONG, false);
    assertThat(result(call)).isEqualTo(fresh());
    assertThat(result(call)).isEqualTo(reentered());
    release(A, ALICE);
    assertThat(result(call)).isEqualTo(fresh());
  }

  @Test
  default void afterCloseEveryCallFails() {
    acquire(A, ALICE, LONG);
    store().close().block(Duration.ofSeconds(20));
    store().close().block(Duration.ofSeconds(20));
    List<Mono<?>> calls =
        List.of(
            store().acquire(A, ALICE, "", LONG, false),
            store().acquire(A, ALICE, "", LONG, true),
            store().extend(A, ALICE, LONG),
            store().release(A, ALICE, Duration.ZERO),
            store().remaining(A, ALICE),
            store().transfer(A, ALICE, BOB, "", LONG, false),
            store().raiseFence(A, ALICE, 1),
            store().inspect(A.asList().get(0)),
            store().forceRelease(A.asList().get(0)));
    for (Mono<?> call : calls) {
      assertThatExceptionOfType(StoreFailure.class)
          .isThrownBy(() -> result(call))
          .satisfies(
              failure -> {
                assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
                assertThat(failure.isTransient()).isFalse();
                assertThat(failure).hasMessageContaining("closed");
              });
    }
  }
}
