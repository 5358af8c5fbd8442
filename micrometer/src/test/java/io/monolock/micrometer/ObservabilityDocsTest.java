// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.monolock.LockLostException;
import io.monolock.store.StoreProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the page on observability says is what the code does. */
class ObservabilityDocsTest {

  private static final Path PAGE = Path.of("../docs/observability.md");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** The cells of the rows whose first one is code that begins like this. */
  private static List<String[]> rows(String beginning) {
    try (Stream<String> lines = Files.lines(PAGE)) {
      return lines
          .filter(line -> line.startsWith("| `" + beginning))
          .map(line -> line.substring(1).split("\\|"))
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String[]> meterRows() {
    return rows("monolock.").stream().filter(row -> row.length == 4).toList();
  }

  private static Set<String> codes(String cell) {
    Set<String> codes = new TreeSet<>();
    CODE.matcher(cell).results().forEach(code -> codes.add(code.group(1)));
    return codes;
  }

  private static String code(String cell) {
    assertThat(codes(cell)).hasSize(1);
    return codes(cell).iterator().next();
  }

  private static String row(String name, Meter.Type type, Stream<String> tags) {
    Set<String> others = new TreeSet<>(tags.toList());
    others.remove("key.group");
    return name + " " + type.name().toLowerCase(Locale.ROOT) + " " + others;
  }

  @Test
  void tableOfMetersIsWhatTheDocumentationSays() {
    assertThat(meterRows())
        .extracting(row -> code(row[0]) + " " + row[1].strip() + " " + codes(row[2]))
        .containsExactlyElementsOf(
            Arrays.stream(LockMeterDocumentation.values())
                .map(
                    meter ->
                        row(
                            meter.getName(),
                            meter.getType(),
                            Arrays.stream(meter.getKeyNames()).map(KeyName::asString)))
                .toList());
  }

  @Test
  void documentationSaysWhichMetersAreRegistered() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    MicrometerLockObserver unused = MicrometerLockObserver.create(registry);

    assertThat(
            registry.getMeters().stream()
                .map(
                    meter ->
                        row(
                            meter.getId().getName(),
                            meter.getId().getType(),
                            meter.getId().getTags().stream().map(Tag::getKey)))
                .distinct())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(LockMeterDocumentation.values())
                .map(
                    meter ->
                        row(
                            meter.getName(),
                            meter.getType(),
                            Arrays.stream(meter.getKeyNames()).map(KeyName::asString)))
                .toList());
    assertThat(registry.getMeters()).allMatch(meter -> meter.getId().getTag("key.group") != null);
  }

  private static Set<String> values(String tag, String meter) {
    return rows(tag).stream()
        .filter(row -> row.length == 3 && codes(row[1]).contains(meter))
        .map(row -> codes(row[2]))
        .findFirst()
        .orElseThrow();
  }

  private static Set<String> values(Enum<?>... constants) {
    Set<String> values = new TreeSet<>();
    Arrays.stream(constants).map(TagValues::of).forEach(values::add);
    return values;
  }

  @Test
  void tableOfTagsHasAllValues() {
    assertThat(values("outcome", "monolock.acquisitions")).isEqualTo(values(Outcome.values()));
    assertThat(values("outcome", "monolock.hold")).isEqualTo(values(HoldEnd.values()));
    assertThat(values("reason", "monolock.lost"))
        .isEqualTo(values(LockLostException.Reason.values()));
    assertThat(values("reason", "monolock.store.trouble"))
        .isEqualTo(values(StoreProblem.Reason.values()));
  }

  @Test
  void tableOfObservationsIsWhatTheDocumentationSays() {
    List<String[]> rows = rows("monolock.").stream().filter(row -> row.length == 5).toList();

    assertThat(rows)
        .extracting(row -> code(row[0]) + " " + row[1].strip())
        .containsExactly(
            Arrays.stream(LockObservationDocumentation.values())
                .map(each -> each.technicalName + " " + each.spanName)
                .toArray(String[]::new));
    assertThat(rows)
        .allSatisfy(
            row ->
                assertThat(codes(row[2]))
                    .containsExactlyInAnyOrder(
                        Arrays.stream(LockObservationDocumentation.LowCardinality.values())
                            .map(KeyName::asString)
                            .toArray(String[]::new)));
    assertThat(rows.stream().map(row -> code(row[3])))
        .containsExactly(
            Arrays.stream(LockObservationDocumentation.Event.values())
                .map(Observation.Event::getName)
                .toArray(String[]::new));
  }
}
