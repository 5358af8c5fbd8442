// SPDX-License-Identifier: Apache-2.0
package io.monolock.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.monolock.ReactiveLocker;
import io.monolock.engine.StoreLockerBuilder;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreProblem;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Which package may use which, what no class may do, and what is public. */
@AnalyzeClasses(packages = "io.monolock", importOptions = ArchitectureTest.PublishedModules.class)
class ArchitectureTest {

  /** The main classes of the modules that users get: folders of classes, or jars once packaged. */
  static final class PublishedModules implements ImportOption {

    private static final Pattern FOLDER =
        Pattern.compile(
            ".*/(core|quorum|micrometer|reactor-adapter|kotlin-coroutines-adapter"
                + "|spring-boot-starter)/target/classes/.*");
    private static final Pattern JAR =
        Pattern.compile(
            ".*/monolock-(core|quorum|micrometer|reactor-adapter|kotlin-coroutines-adapter"
                + "|spring-boot-starter)-\\d[^/!]*(?<!-tests)\\.jar!/.*");

    @Override
    public boolean includes(Location location) {
      return location.matches(FOLDER) || location.matches(JAR);
    }
  }

  private static final String ALL = "io.monolock..";
  private static final String API = "io.monolock";
  private static final String ENGINE = "io.monolock.engine";
  private static final String STORE = "io.monolock.store";
  private static final String MEMORY = "io.monolock.memory";
  private static final String REDIS = "io.monolock.redis";
  private static final String QUORUM = "io.monolock.quorum";
  private static final String MICROMETER = "io.monolock.micrometer";
  private static final String REACTOR = "io.monolock.reactor";
  private static final String COROUTINES = "io.monolock.coroutines";
  private static final String SPRING = "io.monolock.spring..";

  private static final List<String> PACKAGES =
      List.of(
          API,
          ENGINE,
          STORE,
          MEMORY,
          REDIS,
          QUORUM,
          MICROMETER,
          REACTOR,
          COROUTINES,
          "io.monolock.spring",
          "io.monolock.spring.actuate",
          "io.monolock.spring.aop",
          "io.monolock.spring.coroutines",
          "io.monolock.spring.metrics",
          "io.monolock.spring.redis",
          "io.monolock.spring.web");

  @ArchTest
  static void allPackagesAreHere(JavaClasses classes) {
    assertThat(classes)
        .extracting(JavaClass::getPackageName)
        .containsOnly(PACKAGES.toArray(String[]::new));
  }

  // which package may use which

  @ArchTest
  static final ArchRule storeInterfaceUsesNoOtherPackage = packageUsesOnly(STORE, nothingElse());

  /** The one arrow that goes up: {@link ReactiveLocker#builder} makes the engine's builder. */
  @ArchTest
  static final ArchRule apiUsesOnlyTheStoreInterfaceAndTheEnginesBuilder =
      packageUsesOnly(API, resideInAPackage(STORE).or(equivalentTo(StoreLockerBuilder.class)));

  @ArchTest
  static void onlyReactiveLockerBuilderUsesTheEngine(JavaClasses classes) {
    assertThat(
            classes.stream()
                .filter(type -> type.getPackageName().equals(API))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> dependency.getTargetClass().getPackageName().equals(ENGINE)))
        .isNotEmpty()
        .extracting(Dependency::getDescription)
        .allMatch(
            text ->
                text.startsWith(
                    "Method <io.monolock.ReactiveLocker.builder(io.monolock.store.LockStore)>"));
  }

  @ArchTest
  static final ArchRule engineUsesOnlyTheApiAndTheStoreInterface =
      packageUsesOnly(ENGINE, resideInAnyPackage(API, STORE));

  @ArchTest
  static final ArchRule memoryUsesOnlyTheStoreInterface =
      packageUsesOnly(MEMORY, resideInAPackage(STORE));

  @ArchTest
  static final ArchRule redisUsesOnlyTheStoreInterface =
      packageUsesOnly(REDIS, resideInAPackage(STORE));

  @ArchTest
  static final ArchRule quorumUsesOnlyTheStoreInterface =
      packageUsesOnly(QUORUM, resideInAPackage(STORE));

  /** The reasons of the API's LockStoreException are those of the store interface. */
  @ArchTest
  static final ArchRule micrometerUsesOnlyTheApiAndReasonsOfStores =
      packageUsesOnly(
          MICROMETER,
          resideInAPackage(API)
              .or(equivalentTo(StoreProblem.class))
              .or(equivalentTo(StoreProblem.Reason.class)));

  /** A Holder is what {@link ReactiveLocker#inspect} gives; LockKeys checks keys. */
  @ArchTest
  static final ArchRule reactorAdapterUsesOnlyTheApiAndValuesOfTheStoreInterface =
      packageUsesOnly(
          REACTOR,
          resideInAPackage(API).or(equivalentTo(Holder.class)).or(equivalentTo(LockKeys.class)));

  @ArchTest
  static final ArchRule coroutinesAdapterUsesOnlyTheApiAndTheReactorAdapter =
      packageUsesOnly(COROUTINES, resideInAnyPackage(API, REACTOR));

  @ArchTest
  static final ArchRule starterUsesOnlyWhatItConfigures =
      packageUsesOnly(
          SPRING, resideInAnyPackage(API, STORE, REDIS, MICROMETER, REACTOR, COROUTINES));

  @ArchTest
  static final ArchRule packagesAreFreeOfCycles =
      slices()
          .assignedFrom(eachPackage())
          .should()
          .beFreeOfCycles()
          .ignoreDependency(ReactiveLocker.class, StoreLockerBuilder.class);

  @ArchTest
  static final ArchRule lettuceStaysInTheRedisStoreAndItsConfiguration =
      noClasses()
          .that()
          .resideOutsideOfPackages(REDIS, "io.monolock.spring.redis")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.lettuce..");

  @ArchTest
  static final ArchRule micrometerStaysInItsPackageAndItsConfiguration =
      noClasses()
          .that()
          .resideOutsideOfPackages(MICROMETER, "io.monolock.spring.metrics")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.micrometer..", MICROMETER);

  // what no class may do

  @ArchTest
  static final ArchRule noClassBlocks =
      noClasses()
          .should()
          .callMethodWhere(
              target(nameMatching("block(First|Last|Optional)?|toIterable|toStream"))
                  .and(JavaAccess.Predicates.targetOwner(assignableTo(Publisher.class))))
          .orShould()
          .callMethodWhere(
              target(nameMatching("get|join"))
                  .and(JavaAccess.Predicates.targetOwner(assignableTo(Future.class)))
                  .and(
                      describe(
                          "outside of a check that it is done",
                          call ->
                              !call.getOrigin()
                                  .getFullName()
                                  .startsWith(REDIS + ".ReconnectingConnection.isOver("))))
          .orShould()
          .callMethod(Thread.class, "sleep", long.class)
          .orShould()
          .callMethod(Thread.class, "sleep", long.class, int.class)
          .orShould()
          .callMethodWhere(
              target(name("sync"))
                  .and(JavaAccess.Predicates.targetOwner(resideInAPackage("io.lettuce.."))))
          .orShould()
          .callMethodWhere(
              target(nameMatching("runBlocking.*"))
                  .and(
                      JavaAccess.Predicates.targetOwner(resideInAPackage("kotlinx.coroutines.."))));

  @ArchTest
  static final ArchRule everySubscriptionHandlesErrors =
      noClasses()
          .should()
          .callMethod(Mono.class, "subscribe")
          .orShould()
          .callMethod(Flux.class, "subscribe")
          .orShould()
          .callMethod(Mono.class, "subscribe", Consumer.class)
          .orShould()
          .callMethod(Flux.class, "subscribe", Consumer.class);

  @ArchTest
  static final ArchRule apiAndEngineReadNoWallClock =
      noClasses()
          .that()
          .resideInAnyPackage(API, ENGINE)
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.time.Instant");

  @ArchTest
  static final ArchRule noClassKeepsAnythingInAThread =
      noClasses()
          .that()
          // signals that wait until the one is over that their thread runs, so that none recurses
          .doNotHaveFullyQualifiedName("io.monolock.engine.SignalExecutor")
          .should()
          .dependOnClassesThat()
          .areAssignableTo(ThreadLocal.class);

  // what is public

  @ArchTest
  static final ArchRule publicTypesAreInterfacesFinalOrSealed =
      classes()
          .that()
          .arePublic()
          .and()
          .areNotInterfaces()
          .should(
              have(
                  describe(
                      "no subclasses of others",
                      (JavaClass type) ->
                          type.getModifiers().contains(JavaModifier.FINAL)
                              || type.isEnum()
                              || type.reflect().isSealed())));

  @ArchTest
  static final ArchRule publicTypesOfTheReactorAdapterAreInterfacesOrFinal =
      classes()
          .that()
          .resideInAPackage(REACTOR)
          .and()
          .arePublic()
          .and()
          .areNotInterfaces()
          .should(
              have(
                  describe(
                      "no subclasses",
                      (JavaClass type) -> type.getModifiers().contains(JavaModifier.FINAL))));

  @ArchTest
  static void everyPackageIsNullMarked(JavaClasses classes) {
    assertThat(
            classes.stream()
                .map(JavaClass::getPackage)
                .filter(found -> !found.getName().equals(COROUTINES))
                .collect(Collectors.toSet()))
        .hasSize(PACKAGES.size() - 1)
        .filteredOn(found -> !found.isAnnotatedWith(NullMarked.class))
        .extracting(JavaPackage::getName)
        .isEmpty();
  }

  @ArchTest
  static void publicTypesOfTheApi(JavaClasses classes) {
    assertThat(publicTypes(classes, API))
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
            "LockerClosedException",
            "ReactiveLocker",
            "ReactiveLocker$Builder");
  }

  @ArchTest
  static void publicTypesOfTheEngine(JavaClasses classes) {
    assertThat(publicTypes(classes, ENGINE)).containsExactly("StoreLockerBuilder");
  }

  @ArchTest
  static void publicTypesOfTheStores(JavaClasses classes) {
    assertThat(publicTypes(classes, STORE))
        .containsExactlyInAnyOrder(
            "Grant",
            "Grant$Busy",
            "Grant$Granted",
            "Holder",
            "Incarnation",
            "LockKeys",
            "LockStore",
            "StoreFailure",
            "StoreHealth",
            "StoreProblem",
            "StoreProblem$Reason",
            "Transfer");
    assertThat(publicTypes(classes, MEMORY)).containsExactly("InMemoryLockStore");
    assertThat(publicTypes(classes, REDIS))
        .containsExactlyInAnyOrder("RedisLockStore", "RedisLockStore$Builder");
    assertThat(publicTypes(classes, QUORUM))
        .containsExactlyInAnyOrder("QuorumLockStore", "QuorumLockStore$Builder");
  }

  @ArchTest
  static void publicTypesForMicrometer(JavaClasses classes) {
    assertThat(publicTypes(classes, MICROMETER))
        .containsExactlyInAnyOrder(
            "LockMeterDocumentation",
            "LockMeterDocumentation$Tag",
            "LockObservationContext",
            "LockObservationConvention",
            "LockObservationDocumentation",
            "LockObservationDocumentation$Event",
            "LockObservationDocumentation$HighCardinality",
            "LockObservationDocumentation$LowCardinality",
            "MicrometerLockObserver",
            "MicrometerLockObserver$Builder");
  }

  @ArchTest
  static void publicTypesForReactor(JavaClasses classes) {
    assertThat(publicTypes(classes, REACTOR))
        .containsExactlyInAnyOrder(
            "CurrentLock",
            "Leadership",
            "Leadership$Change",
            "Leadership$Status",
            "LockOperators",
            "ReentrantLocker");
  }

  @ArchTest
  static void publicTypesForSpring(JavaClasses classes) {
    assertThat(publicTypes(classes, "io.monolock.spring"))
        .containsExactlyInAnyOrder(
            "Locked",
            "Locked$OnBusy",
            "LockerBuilderCustomizer",
            "MonolockAutoConfiguration",
            "SkipObserver");
    assertThat(publicTypes(classes, "io.monolock.spring.actuate"))
        .containsExactlyInAnyOrder("EndpointAutoConfiguration", "HealthAutoConfiguration");
    assertThat(publicTypes(classes, "io.monolock.spring.aop"))
        .containsExactly("LockedAutoConfiguration");
    assertThat(publicTypes(classes, "io.monolock.spring.coroutines"))
        .containsExactly("CoroutinesAutoConfiguration");
    assertThat(publicTypes(classes, "io.monolock.spring.metrics"))
        .containsExactly("MetricsAutoConfiguration");
    assertThat(publicTypes(classes, "io.monolock.spring.redis"))
        .containsExactly("RedisStoreConfiguration");
    assertThat(publicTypes(classes, "io.monolock.spring.web"))
        .containsExactly("WebAutoConfiguration");
  }

  private static ArchRule packageUsesOnly(
      String inPackage, DescribedPredicate<? super JavaClass> others) {
    return classes()
        .that()
        .resideInAPackage(inPackage)
        .should()
        .onlyDependOnClassesThat(
            not(resideInAPackage(ALL)).or(resideInAPackage(inPackage)).or(others));
  }

  private static DescribedPredicate<JavaClass> nothingElse() {
    return DescribedPredicate.alwaysFalse();
  }

  private static SliceAssignment eachPackage() {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass type) {
        return SliceIdentifier.of(type.getPackageName());
      }

      @Override
      public String getDescription() {
        return "packages";
      }
    };
  }

  private static Stream<String> publicTypes(JavaClasses classes, String inPackage) {
    return classes.stream()
        .filter(type -> type.getPackageName().equals(inPackage) && isPublic(type))
        .map(type -> type.getName().substring(inPackage.length() + 1));
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(ArchitectureTest::isPublic).orElse(true);
  }
}
