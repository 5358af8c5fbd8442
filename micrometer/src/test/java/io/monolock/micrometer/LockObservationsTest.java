// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static io.micrometer.observation.tck.TestObservationRegistryAssert.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.context.ContextRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.tck.ObservationContextAssert;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.StoreProblem;
import io.monolock.test.CapturedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** Each acquisition and each lock is an observation, in the trace of its caller. */
class LockObservationsTest {

  private static final Duration TTL = Duration.ofSeconds(9);
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String ACQUIRING = "monolock.acquiring";
  private static final String HOLDING = "monolock.holding";

  private final TestObservationRegistry observations = TestObservationRegistry.create();
  private final MeteredLocker m = observed(builder -> builder);

  private MeteredLocker observed(UnaryOperator<MicrometerLockObserver.Builder> settings) {
    return new MeteredLocker(
        new SimpleMeterRegistry(), b -> settings.apply(b.observations(observations)));
  }

  @AfterEach
  void noHooks() {
    Hooks.disableAutomaticContextPropagation();
  }

  private Observation parent(String name) {
    return Observation.start(name, observations);
  }

  private static Context in(Observation parent) {
    return Context.of(ObservationThreadLocalAccessor.KEY, parent);
  }

  private void every(String name, Consumer<ObservationContextAssert<?>> check) {
    assertThat(observations).forAllObservationsWithNameEqualTo(name, check::accept);
  }

  @Test
  void lockIsAnAcquisitionAndAHold() {
    m.run(m.locker.withLock("a", TTL, Mono.empty()));

    assertThat(observations)
        .hasNumberOfObservationsEqualTo(2)
        .hasObservationWithNameEqualTo(ACQUIRING)
        .that()
        .hasContextualNameEqualTo("acquire lock")
        .hasLowCardinalityKeyValue("key.group", "all")
        .hasLowCardinalityKeyValue("outcome", "granted")
        .hasLowCardinalityKeyValue("reason", "none")
        .doesNotHaveError()
        .doesNotHaveParentObservation()
        .hasBeenStopped();
    assertThat(observations)
        .hasObservationWithNameEqualTo(HOLDING)
        .that()
        .hasContextualNameEqualTo("hold lock")
        .hasLowCardinalityKeyValue("outcome", "released")
        .doesNotHaveError()
        .hasBeenStopped();
  }

  @Test
  void holdIsOpenAsLongAsTheLock() {
    Lock lock = m.get(m.locker.acquire("a", TTL));
    assertThat(observations).hasObservationWithNameEqualTo(ACQUIRING).that().hasBeenStopped();
    assertThat(observations).hasObservationWithNameEqualTo(HOLDING).that().isNotStopped();

    m.run(lock.release());

    assertThat(observations).hasObservationWithNameEqualTo(HOLDING).that().hasBeenStopped();
  }

  @Test
  void observationInTheContextIsTheParentOfBoth() {
    Observation request = parent("request");

    m.run(m.locker.withLock("a", TTL, Mono.empty()).contextWrite(in(request)));

    every(ACQUIRING, it -> it.hasParentObservationEqualTo(request));
    every(HOLDING, it -> it.hasParentObservationEqualTo(request));
    request.stop();
  }

  @Test
  void observationOfTheThreadIsNoParent() {
    Observation foreign = parent("foreign");
    Observation request = parent("request");

    foreign.scoped(
        () -> {
          m.run(m.locker.withLock("a", TTL, Mono.empty()));
          m.run(m.locker.withLock("b", TTL, Mono.empty()).contextWrite(in(request)));
          Assertions.assertThat(observations.getCurrentObservation()).isSameAs(foreign);
        });

    assertThat(observations)
        .hasHandledContextsThatSatisfy(
            all ->
                Assertions.assertThat(all)
                    .filteredOn(context -> context instanceof LockObservationContext)
                    .extracting(Observation.Context::getParentObservation)
                    .containsExactly(null, null, request, request));
    request.stop();
    foreign.stop();
  }

  /** Otherwise a tracer would prefer the span of its thread to that of the parent. */
  @Test
  void observationOfTheThreadIsHiddenFromHandlers() {
    Observation foreign = parent("foreign");
    List<Observation> seen = new ArrayList<>();
    observations
        .observationConfig()
        .observationHandler(
            new ObservationHandler<LockObservationContext>() {
              @Override
              public boolean supportsContext(Observation.Context context) {
                return context instanceof LockObservationContext;
              }

              @Override
              public void onStart(LockObservationContext context) {
                seen.add(observations.getCurrentObservation());
              }
            });

    foreign.scoped(() -> m.run(m.locker.withLock("a", TTL, Mono.empty())));

    Assertions.assertThat(seen).hasSize(2).doesNotContain(foreign);
    foreign.stop();
  }

  /** Many requests at once on few threads, each of which is to be the parent of its own lock. */
  private static void everyRequestIsTheParentOfItsLock() {
    OpenObservations open = new OpenObservations(); // as that of the test kit is for one thread
    ReactiveLocker locker = onRealThreads(open.registry);
    Flux.range(0, 200)
        .flatMap(
            i ->
                Mono.defer(
                    () -> {
                      String key = "k" + i % 20;
                      Observation request = Observation.start("request " + key, open.registry);
                      return locker
                          .withLock(key, TTL, Mono.delay(Duration.ofMillis(1)))
                          .doFinally(signal -> request.stop())
                          .contextWrite(in(request));
                    }),
            40)
        .blockLast(LIMIT);
    locker.close().block(LIMIT);

    await().atMost(LIMIT).untilAsserted(() -> Assertions.assertThat(open.ended).hasSize(400));
    Assertions.assertThat(open.ended)
        .allSatisfy(
            lock ->
                Assertions.assertThat(lock.getParentObservation().getContextView().getName())
                    .isEqualTo("request " + lock.keys().iterator().next()));
    Assertions.assertThat(open.open()).isZero();
  }

  private static ReactiveLocker onRealThreads(ObservationRegistry registry) {
    return ReactiveLocker.builder(InMemoryLockStore.create())
        .observer(
            MicrometerLockObserver.builder(new SimpleMeterRegistry())
                .observations(registry)
                .build())
        .build();
  }

  @Test
  void requestsAtOnceAreTheParentsOfTheirOwnLocks() {
    everyRequestIsTheParentOfItsLock();
  }

  @Test
  void requestsAtOnceAreTheParentsOfTheirOwnLocksWithAutomaticContextPropagation() {
    Hooks.enableAutomaticContextPropagation();

    everyRequestIsTheParentOfItsLock();
  }

  @Test
  void currentObservationIsTheParentWithAutomaticContextPropagation() {
    Hooks.enableAutomaticContextPropagation();
    OpenObservations open = new OpenObservations();
    ReactiveLocker locker = onRealThreads(open.registry);
    Observation request = Observation.start("request", open.registry);
    ContextRegistry contexts = ContextRegistry.getInstance();

    contexts.registerThreadLocalAccessor(new ObservationThreadLocalAccessor(open.registry));
    try {
      request.scoped(() -> locker.withLock("a", TTL, Mono.just(1)).block(LIMIT));
    } finally {
      contexts.registerThreadLocalAccessor(new ObservationThreadLocalAccessor());
    }
    request.stop();
    locker.close().block(LIMIT);

    await().atMost(LIMIT).untilAsserted(() -> Assertions.assertThat(open.ended).hasSize(2));
    Assertions.assertThat(open.ended).allMatch(lock -> request.equals(lock.getParentObservation()));
  }

  @Test
  void waitingAndFailedRefreshesAreEvents() {
    Lock other = m.get(m.another().acquire("a", TTL));
    m.store.onExtend = FaultyStore.fails(StoreProblem.Reason.SERVER_STATE, true);
    Disposable body = m.run(m.locker.withLock("a", TTL, Mono.never()));
    m.run(other.release());
    m.time.advanceTimeBy(Duration.ofSeconds(4));
    body.dispose();
    m.time.advanceTime();

    assertThat(observations).hasObservationWithNameEqualTo(ACQUIRING).that().hasEvent("contended");
    assertThat(observations)
        .hasObservationWithNameEqualTo(HOLDING)
        .that()
        .hasEvent("refresh.failed")
        .hasBeenStopped();
  }

  @Test
  void troubleOfTheStoreIsAnErrorWithItsReason() {
    m.store.onAcquire = FaultyStore.fails(StoreProblem.Reason.PERMISSION, false);

    m.run(m.locker.acquire("a", TTL));

    assertThat(observations)
        .hasSingleObservationThat()
        .hasLowCardinalityKeyValue("outcome", "store_trouble")
        .hasLowCardinalityKeyValue("reason", "permission")
        .hasBeenStopped()
        .assertThatError()
        .isInstanceOf(LockStoreException.class);
  }

  @Test
  void waitingInVainIsAnError() {
    Lock other = m.get(m.another().acquire("a", TTL));
    m.run(other.extend(Duration.ofMinutes(1)));

    m.run(m.locker.acquire("a", LockOptions.of(TTL).waitAtMost(Duration.ofSeconds(1))));
    m.time.advanceTimeBy(Duration.ofSeconds(1));

    assertThat(observations)
        .hasSingleObservationThat()
        .hasLowCardinalityKeyValue("outcome", "timed_out")
        .hasBeenStopped()
        .assertThatError()
        .isInstanceOf(LockNotAcquiredException.class);
  }

  @Test
  void refusalAndCancellationAreNoErrors() {
    m.get(m.another().acquire("a", TTL));

    m.run(m.locker.tryAcquire("a", TTL));
    m.run(m.locker.acquire("a", TTL)).dispose();
    m.time.advanceTime();

    assertThat(observations).hasNumberOfObservationsWithNameEqualTo(ACQUIRING, 2);
    every(ACQUIRING, ObservationContextAssert::doesNotHaveError);
    assertThat(observations)
        .hasAnObservationWithAKeyValue("outcome", "refused")
        .hasAnObservationWithAKeyValue("outcome", "cancelled");
  }

  @Test
  void lossIsAnErrorThatNamesNoKey() {
    m.run(m.locker.withLock("order:42", TTL, Mono.never()));
    m.run(m.locker.forceRelease("order:42"));
    m.time.advanceTimeBy(TTL.dividedBy(3));

    assertThat(observations)
        .hasObservationWithNameEqualTo(HOLDING)
        .that()
        .hasLowCardinalityKeyValue("outcome", "lost")
        .hasLowCardinalityKeyValue("reason", "taken")
        .hasBeenStopped()
        .assertThatError()
        .hasMessage("the lock was lost: taken");
  }

  @Test
  void keysAreShownOnlyIfAllowed() {
    MeteredLocker open = observed(b -> b.showKeys(true));

    m.run(m.locker.withLock("a", TTL, Mono.empty()));
    every(ACQUIRING, it -> it.hasOnlyKeys("key.group", "outcome", "reason"));
    every(HOLDING, it -> it.hasOnlyKeys("key.group", "outcome", "reason"));

    open.run(open.locker.withLock(List.of("b", "c"), TTL, Mono.empty()));
    assertThat(observations)
        .hasAnObservation(it -> it.hasHighCardinalityKeyValue("monolock.keys", "b,c"));
  }

  private static class ByTeam implements LockObservationConvention {
    @Override
    public LockObservationDocumentation observation() {
      return LockObservationDocumentation.ACQUIRING;
    }

    @Override
    public String getName() {
      return "team.lock";
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
      return LockObservationConvention.super
          .getLowCardinalityKeyValues(context)
          .and(KeyValue.of("team", "shop"));
    }
  }

  private static final class ByTeamForAll extends ByTeam
      implements GlobalObservationConvention<LockObservationContext> {}

  @Test
  void conventionOfTheBuilderNamesItsObservation() {
    MeteredLocker m = observed(b -> b.convention(new ByTeam()));

    m.run(m.locker.withLock("a", TTL, Mono.empty()));

    assertThat(observations)
        .hasObservationWithNameEqualTo("team.lock")
        .that()
        .hasLowCardinalityKeyValue("team", "shop")
        .hasLowCardinalityKeyValue("outcome", "granted");
    assertThat(observations).hasNumberOfObservationsWithNameEqualTo(HOLDING, 1);
  }

  @Test
  void globalConventionNamesItsObservation() {
    observations.observationConfig().observationConvention(new ByTeamForAll());

    m.run(m.locker.withLock("a", TTL, Mono.empty()));

    assertThat(observations)
        .hasNumberOfObservationsWithNameEqualTo("team.lock", 1)
        .hasNumberOfObservationsWithNameEqualTo(HOLDING, 1);
  }

  @Test
  void observationThatIsSwitchedOffChangesNothing() {
    observations
        .observationConfig()
        .observationPredicate((name, context) -> !name.startsWith("monolock"));

    m.run(m.locker.withLock("a", TTL, Mono.empty()));

    assertThat(observations).doesNotHaveAnyObservation();
    Assertions.assertThat(m.observer.size()).isZero();
  }

  @Test
  void metersMadeOfObservationsDoNotCollideWithOurs() {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    observations
        .observationConfig()
        .observationHandler(new DefaultMeterObservationHandler(prometheus));

    try (CapturedLog log = new CapturedLog()) {
      MeteredLocker m = new MeteredLocker(prometheus, b -> b.observations(observations));
      m.run(m.locker.withLock("a", TTL, Mono.empty()));
      Assertions.assertThat(log.lines("WARN")).isEmpty();
    }

    Assertions.assertThat(prometheus.scrape())
        .contains("monolock_acquiring_seconds_count{", "monolock_wait_seconds_count{")
        .contains("monolock_holding_seconds_count{", "monolock_hold_seconds_count{");
  }
}
