// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** What IDEs and the documentation know of the properties. */
class MetadataTest {

  /** Their default is another property, or nothing. */
  private static final Set<String> WITHOUT_DEFAULT =
      Set.of(
          "monolock.redis.url",
          "monolock.redis.username",
          "monolock.redis.password",
          "monolock.redis.database",
          "monolock.redis.client-name",
          "monolock.redis.ssl.enabled",
          "monolock.redis.ssl.bundle");

  private static List<Map<String, Object>> properties() throws IOException {
    try (InputStream json =
        MonolockProperties.class.getResourceAsStream(
            "/META-INF/spring-configuration-metadata.json")) {
      String text = new String(json.readAllBytes(), StandardCharsets.UTF_8);
      @SuppressWarnings("unchecked")
      List<Map<String, Object>> properties =
          (List<Map<String, Object>>)
              JsonParserFactory.getJsonParser().parseMap(text).get("properties");
      return properties.stream()
          .filter(property -> property.get("name").toString().startsWith("monolock."))
          .toList();
    }
  }

  private static Set<String> names() throws IOException {
    return properties().stream()
        .map(property -> property.get("name").toString())
        .collect(Collectors.toSet());
  }

  @Test
  void eachPropertyHasADescriptionAndADefault() throws IOException {
    assertThat(properties())
        .hasSizeGreaterThan(20)
        .allSatisfy(
            property -> {
              assertThat(property.get("description")).asString().endsWith(".");
              if (!WITHOUT_DEFAULT.contains(property.get("name").toString())) {
                assertThat(property).containsKey("defaultValue");
              }
            });
  }

  /** One token for all locks would be no lock. */
  @Test
  void eachOptionOfLocksIsAProperty() throws IOException {
    assertThat(names())
        .containsAll(
            options(LockOptions.class, 0)
                .filter(option -> !Set.of("token", "retry").contains(option))
                .map(MetadataTest::property)
                .toList())
        .contains(
            "monolock.retry.min-backoff", "monolock.retry.max-backoff", "monolock.retry.jitter")
        .doesNotContain("monolock.token");
  }

  /** Others take objects, which beans and customizers give. */
  @Test
  void eachOptionOfTheBuilderIsAProperty() throws IOException {
    assertThat(names())
        .containsAll(
            options(ReactiveLocker.Builder.class, 1)
                .filter(
                    option ->
                        !Set.of("defaults", "observer", "timer", "publishOn").contains(option))
                .map(MetadataTest::property)
                .toList());
  }

  /** So that the test of times without a unit has all of them. */
  @Test
  void allTimesAreKnown() throws IOException {
    assertThat(properties())
        .filteredOn(property -> "java.time.Duration".equals(property.get("type")))
        .hasSize(10);
  }

  private static Stream<String> options(Class<?> type, int parameters) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getParameterCount() == parameters)
        .map(Method::getName)
        .filter(name -> !name.equals("toString"));
  }

  private static String property(String option) {
    return "monolock." + option.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  @Test
  void eachPropertyIsDocumentedWithItsDefault() throws IOException {
    List<String> rows =
        Files.readAllLines(Path.of("../docs/spring.md")).stream()
            .filter(line -> line.startsWith("| `monolock."))
            .toList();
    assertThat(rows).hasSameSizeAs(properties());
    assertThat(properties())
        .allSatisfy(
            property -> {
              Object value = property.get("defaultValue");
              String shown = value == null || value.equals("") ? "" : "`" + value + "`";
              assertThat(rows)
                  .filteredOn(row -> row.startsWith("| `" + property.get("name") + "` | " + shown))
                  .hasSize(1);
            });
  }
}
