// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.store.StoreProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** The dashboard asks for what Prometheus gets. */
class DashboardTest {

  private static final Path DASHBOARD = Path.of("../docs/grafana-dashboard.json");
  private static final Duration TTL = Duration.ofSeconds(9);

  private static final Pattern SELECTOR = Pattern.compile("(\\w+)\\{([^}]*)}");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~?|!~|!=)\"([^\"]*)\"");
  private static final Pattern GROUPING = Pattern.compile("by \\(([^)]*)\\)");
  private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");
  private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");

  private final PrometheusMeterRegistry prometheus =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final MeteredLocker m = new MeteredLocker(prometheus, b -> b.histograms(true));
  private List<String> scrape;

  /** A grant, a loss, a refusal, a wait in vain, a refresh that fails, a store in trouble. */
  @BeforeEach
  void use() {
    m.run(m.locker.withLock("a", TTL, Mono.empty()));
    m.run(m.locker.withLock("b", TTL, Mono.never()));
    m.store.onExtend = FaultyStore.fails(StoreProblem.Reason.SERVER_STATE, true);
    Lock other = m.get(m.another().acquire("c", TTL));
    assertThat(other).isNotNull();
    m.run(m.locker.tryAcquire("c", TTL));
    m.run(m.locker.acquire("c", LockOptions.of(TTL).waitAtMost(Duration.ofSeconds(1))));
    m.time.advanceTimeBy(TTL);
    m.store.onAcquire = FaultyStore.fails(StoreProblem.Reason.PERMISSION, false);
    m.run(m.locker.acquire("d", TTL));
    scrape = prometheus.scrape().lines().filter(line -> !line.startsWith("#")).toList();
  }

  private static Object dashboard() {
    try {
      return Json.read(Files.readString(DASHBOARD));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Stream<Object> targets() {
    return Json.all("targets", dashboard()).flatMap(list -> ((List<?>) list).stream());
  }

  static Stream<String> expressions() {
    return Json.all("expr", dashboard()).map(String.class::cast);
  }

  private static List<MatchResult> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().toList();
  }

  private List<String> series(String metric) {
    return scrape.stream().filter(line -> line.startsWith(metric + "{")).toList();
  }

  private static boolean hasLabel(String series, String label) {
    return series.contains("{" + label + "=\"") || series.contains("," + label + "=\"");
  }

  @ParameterizedTest
  @MethodSource("expressions")
  void everyMetricAndLabelOfAnExpressionIsInTheScrape(String expression) {
    List<MatchResult> selectors = found(SELECTOR, expression);
    assertThat(selectors).isNotEmpty();
    for (MatchResult selector : selectors) {
      List<String> series = series(selector.group(1));
      assertThat(series).as(selector.group(1)).isNotEmpty();
      for (MatchResult matcher : found(MATCHER, selector.group(2))) {
        String label = matcher.group(1);
        assertThat(series).as(selector.group()).allMatch(each -> hasLabel(each, label));
        if (matcher.group(2).equals("=")) {
          assertThat(series).as(selector.group()).anyMatch(each -> each.contains(matcher.group()));
        }
      }
      for (MatchResult grouping : found(GROUPING, expression)) {
        assertThat(series).allMatch(each -> hasLabel(each, grouping.group(1)));
      }
    }
  }

  @Test
  void everyNameInAnExpressionThatIsOursIsASelector() {
    Pattern name = Pattern.compile("monolock_\\w+(\\{)?");

    assertThat(expressions().flatMap(expression -> found(name, expression).stream()))
        .isNotEmpty()
        .allMatch(used -> used.group(1) != null, "is followed by a selector of labels");
  }

  @Test
  void legendsNameLabelsThatAreLeft() {
    targets()
        .forEach(
            target -> {
              String expression = (String) Json.all("expr", target).findFirst().orElseThrow();
              String legend = (String) Json.all("legendFormat", target).findFirst().orElseThrow();
              Set<String> left =
                  found(GROUPING, expression).stream()
                      .map(grouping -> grouping.group(1))
                      .collect(Collectors.toSet());
              for (MatchResult label : found(LEGEND, legend)) {
                assertThat(left).as(expression).contains(label.group(1));
              }
            });
  }

  @Test
  void valuesToChooseFromAreInTheScrape() {
    List<MatchResult> queries =
        Json.all("query", dashboard())
            .filter(String.class::isInstance)
            .flatMap(query -> found(LABEL_VALUES, (String) query).stream())
            .toList();

    assertThat(queries).hasSize(1);
    for (MatchResult query : queries) {
      assertThat(series(query.group(1)))
          .isNotEmpty()
          .allMatch(each -> hasLabel(each, query.group(2)));
    }
  }

  @Test
  void everyMeterIsShown() {
    Set<String> shown = new TreeSet<>();
    expressions()
        .flatMap(expression -> found(SELECTOR, expression).stream())
        .forEach(selector -> shown.add(selector.group(1)));

    for (LockMeterDocumentation meter : LockMeterDocumentation.values()) {
      assertThat(shown).anyMatch(name -> name.startsWith(meter.getName().replace('.', '_')));
    }
  }

  @Test
  void dataSourceIsAlwaysTheOneThatIsChosen() {
    assertThat(Json.all("uid", dashboard()).distinct())
        .containsExactlyInAnyOrder("monolock", "${datasource}");
    assertThat(Json.all("datasource", dashboard())).hasSizeGreaterThan(20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "{\"a\":1,\"a\":2}", "[1 2]", "{\"a\" 1}", "[1] x", "'a'"})
  void whatIsNoJsonIsNotRead(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Json.read(text));
  }
}
