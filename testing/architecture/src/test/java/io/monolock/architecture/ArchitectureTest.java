// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess.Predicates;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.reactivestreams.Publisher;

/** Who may know whom, and what nobody may do. */
@AnalyzeClasses(packages = "io.monolock", importOptions = ArchitectureTest.ThisModule.class)
class ArchitectureTest {

  /** The main classes of this module, without those that its tests use. */
  static final class ThisModule implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return location.contains("/core/target/classes/");
    }
  }

  private static final String ENGINE = "io.monolock";
  private static final String STORE = "io.monolock.store";
  private static final String METERS = "io.monolock.micrometer";
  private static final String[] STORES = {
    "io.monolock.redis", "io.monolock.memory", "io.monolock.quorum"
  };

  @ArchTest
  static final ArchRule theStoreInterfaceKnowsNobody =
      noClasses()
          .that()
          .resideInAPackage(STORE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              ENGINE, "io.monolock.redis..", "io.monolock.memory..", "io.monolock.quorum..");

  @ArchTest
  static final ArchRule storesDoNotKnowTheEngine =
      noClasses()
          .that()
          .resideInAnyPackage(STORES)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ENGINE);

  @ArchTest
  static final ArchRule redisDoesNotKnowOtherStores =
      noClasses()
          .that()
          .resideInAPackage("io.monolock.redis..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.monolock.memory..", "io.monolock.quorum..");

  @ArchTest
  static final ArchRule memoryDoesNotKnowOtherStores =
      noClasses()
          .that()
          .resideInAPackage("io.monolock.memory..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.monolock.redis..", "io.monolock.quorum..");

  @ArchTest
  static final ArchRule aQuorumDoesNotKnowOtherStores =
      noClasses()
          .that()
          .resideInAPackage("io.monolock.quorum..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.monolock.redis..", "io.monolock.memory..");

  @ArchTest
  static final ArchRule theEngineKnowsNoStore =
      noClasses()
          .that()
          .resideInAPackage(ENGINE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(STORES);

  @ArchTest
  static final ArchRule lettuceStaysInTheRedisStore =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.monolock.redis..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.lettuce..");

  @ArchTest
  static final ArchRule micrometerStaysInItsPackage =
      noClasses()
          .that()
          .resideOutsideOfPackage(METERS)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.micrometer..", METERS);

  @ArchTest
  static final ArchRule metersKnowOnlyTheEngine =
      noClasses()
          .that()
          .resideInAPackage(METERS)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(STORE, "io.monolock.redis..", "io.monolock.memory..");

  @ArchTest
  static final ArchRule nobodyBlocks =
      noClasses()
          .should()
          .callMethodWhere(
              target(
                      HasName.Predicates.nameMatching(
                          "block(First|Last|Optional)?|toIterable|toStream"))
                  .and(Predicates.targetOwner(assignableTo(Publisher.class))))
          .orShould()
          .callMethodWhere(
              target(HasName.Predicates.nameMatching("get|join"))
                  .and(Predicates.targetOwner(assignableTo(Future.class)))
                  .and(
                      describe(
                          "outside of a check that it is done",
                          call -> !call.getOrigin().getName().equals("isOver"))))
          .orShould()
          .callMethod(Thread.class, "sleep", long.class)
          .orShould()
          .callMethod(Thread.class, "sleep", long.class, int.class)
          .orShould()
          .callMethodWhere(
              target(HasName.Predicates.name("sync"))
                  .and(Predicates.targetOwner(resideInAnyPackage("io.lettuce.."))));

  @ArchTest
  static final ArchRule nobodySubscribesWithoutHearingErrors =
      noClasses()
          .should()
          .callMethod(reactor.core.publisher.Mono.class, "subscribe")
          .orShould()
          .callMethod(reactor.core.publisher.Flux.class, "subscribe")
          .orShould()
          .callMethod(
              reactor.core.publisher.Mono.class, "subscribe", java.util.function.Consumer.class)
          .orShould()
          .callMethod(
              reactor.core.publisher.Flux.class, "subscribe", java.util.function.Consumer.class);

  @ArchTest
  static final ArchRule theEngineReadsNoWallClock =
      noClasses()
          .that()
          .resideInAPackage(ENGINE)
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.time.Instant");

  @ArchTest
  static final ArchRule whatIsPublicIsInterfaceFinalOrSealed =
      classes()
          .that()
          .arePublic()
          .and()
          .areNotInterfaces()
          .should(
              com.tngtech.archunit.lang.conditions.ArchConditions.have(
                  describe(
                      "no subclasses of others",
                      (JavaClass type) ->
                          type.getModifiers().contains(JavaModifier.FINAL)
                              || type.reflect().isSealed()
                              || type.isEnum())));

  @ArchTest
  static void everyPackageIsNullMarked(JavaClasses classes) {
    Set<Package> packages =
        classes.stream().map(type -> type.reflect().getPackage()).collect(Collectors.toSet());
    assertThat(packages)
        .hasSizeGreaterThanOrEqualTo(5)
        .allMatch(found -> found.isAnnotationPresent(NullMarked.class));
  }

  @ArchTest
  static void theseTypesArePublicAndNoOthers(JavaClasses classes) {
    List<String> found =
        classes.stream()
            .filter(type -> isPublic(type.reflect()))
            .map(type -> type.getName().substring("io.monolock.".length()))
            .toList();
    assertThat(found)
        .containsExactlyInAnyOrder(
            "Lock",
            "LockActivity",
            "LockActivity$State",
            "LockException",
            "LockLostException",
            "LockLostException$Reason",
            "LockNotAcquiredException",
            "LockObserver",
            "LockOptions",
            "LockStoreException",
            "LockStoreException$Reason",
            "LockerClosedException",
            "ReactiveLocker",
            "ReactiveLocker$Builder",
            "memory.InMemoryLockStore",
            "micrometer.LockMeterDocumentation",
            "micrometer.LockMeterDocumentation$Tag",
            "micrometer.LockObservationContext",
            "micrometer.LockObservationConvention",
            "micrometer.LockObservationDocumentation",
            "micrometer.LockObservationDocumentation$Event",
            "micrometer.LockObservationDocumentation$HighCardinality",
            "micrometer.LockObservationDocumentation$LowCardinality",
            "micrometer.MicrometerLockObserver",
            "micrometer.MicrometerLockObserver$Builder",
            "quorum.QuorumLockStore",
            "quorum.QuorumLockStore$Builder",
            "redis.RedisLockStore",
            "redis.RedisLockStore$Builder",
            "store.Grant",
            "store.Grant$Busy",
            "store.Grant$Granted",
            "store.Holder",
            "store.Incarnation",
            "store.LockKeys",
            "store.LockStore",
            "store.StoreFailure",
            "store.StoreFailure$Reason",
            "store.StoreHealth",
            "store.Transfer");
  }

  private static boolean isPublic(Class<?> type) {
    return Modifier.isPublic(type.getModifiers())
        && (type.getDeclaringClass() == null || isPublic(type.getDeclaringClass()));
  }
}
