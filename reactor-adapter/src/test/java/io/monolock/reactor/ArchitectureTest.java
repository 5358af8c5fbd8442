// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
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
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.NullMarked;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What nobody in this module may do, and what of it is public. */
@AnalyzeClasses(packages = "io.monolock.reactor", importOptions = ArchitectureTest.ThisModule.class)
class ArchitectureTest {

  /** The main classes of this module. */
  static final class ThisModule implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return location.contains("/reactor-adapter/target/classes/");
    }
  }

  @ArchTest
  static final ArchRule adapterKnowsNoStoreAndNoDriver =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.monolock.redis..", "io.monolock.memory..", "io.lettuce..");

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
                  .and(Predicates.targetOwner(assignableTo(Future.class))))
          .orShould()
          .callMethod(Thread.class, "sleep", long.class)
          .orShould()
          .callMethod(Thread.class, "sleep", long.class, int.class);

  @ArchTest
  static final ArchRule nobodySubscribesWithoutHearingErrors =
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
  static final ArchRule nobodyKeepsAnythingInAThread =
      noClasses().should().dependOnClassesThat().areAssignableTo(ThreadLocal.class);

  @ArchTest
  static final ArchRule whatIsPublicIsInterfaceOrFinal =
      classes()
          .that()
          .arePublic()
          .and()
          .areNotInterfaces()
          .should(
              have(
                  describe(
                      "no subclasses",
                      (JavaClass type) -> type.getModifiers().contains(JavaModifier.FINAL))));

  @ArchTest
  static void packageIsNullMarked(JavaClasses classes) {
    assertThat(classes)
        .extracting(type -> type.reflect().getPackage())
        .isNotEmpty()
        .allMatch(found -> found.isAnnotationPresent(NullMarked.class));
  }

  @ArchTest
  static void theseTypesArePublicAndNoOthers(JavaClasses classes) {
    List<String> found =
        classes.stream()
            .filter(type -> isPublic(type.reflect()))
            .map(type -> type.getName().substring("io.monolock.reactor.".length()))
            .toList();
    assertThat(found)
        .containsExactlyInAnyOrder(
            "CurrentLock",
            "Leadership",
            "Leadership$Change",
            "Leadership$Status",
            "LockOperators",
            "ReentrantLocker");
  }

  private static boolean isPublic(Class<?> type) {
    return Modifier.isPublic(type.getModifiers())
        && (type.getDeclaringClass() == null || isPublic(type.getDeclaringClass()));
  }
}
