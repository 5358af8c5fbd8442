// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.benchmarks.contender.Contenders;
import java.awt.Color;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The charts in this repository, and what the writer makes of unusual figures. */
class ChartsTest {

  private static final Path FOLDER = Document.module().resolve("charts");
  private static final String TABLE =
      """
      | waiters | contender | per second | p50 us |
      | --- | --- | --- | --- |
      | 64 | Monolock acquire | 12,345,678 | 99.5 |
      | 64 | Monolock, quorum of 3 | 0 |  |
      | a < b & c | Redisson RLock | 3.7 | 0.4 |
      """;

  static List<Path> committed() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.sorted().toList();
    }
  }

  private static String drawn(String column) {
    Chart chart = new Chart("file", "One <key> & more: what it \"costs\"", column);
    return SvgWriter.svg(BarChart.of(chart, Table.firstOf(TABLE)));
  }

  private static void assertReadable(String svg) throws Exception {
    assertThat(svg).startsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    Drawing drawing = Drawing.of(svg);
    assertThat(drawing.isSvg()).isTrue();
    assertThat(drawing.bars()).isNotEmpty();
    assertThat(drawing.values()).allMatch(value -> value.matches("no figure|\\d{1,3}(,\\d{3})*"));
    assertNothingOverlaps(drawing);
  }

  private static void assertNothingOverlaps(Drawing drawing) {
    Rectangle2D page = drawing.page();
    List<Drawing.Shape> placed = new ArrayList<>();
    Stream.concat(drawing.bars().stream(), drawing.texts().stream())
        .forEach(
            shape -> {
              assertThat(page.contains(shape.box()) || shape.box().isEmpty())
                  .as("%s is in the picture", shape)
                  .isTrue();
              assertThat(placed).as("%s overlaps", shape).noneMatch(shape::overlaps);
              placed.add(shape);
            });
  }

  @ParameterizedTest
  @MethodSource("committed")
  void aCommittedChartIsReadable(Path chart) throws Exception {
    assertReadable(Files.readString(chart));
  }

  @ParameterizedTest
  @MethodSource("committed")
  void theLettersAreLargeEnoughAtHalfSize(Path chart) throws Exception {
    Drawing drawing = Drawing.of(Files.readString(chart));
    assertThat(drawing.page().getWidth()).isLessThanOrEqualTo(800);
    assertThat(drawing.texts())
        .allSatisfy(
            text ->
                assertThat(Integer.parseInt(text.element().getAttribute("font-size")))
                    .isGreaterThanOrEqualTo(22));
  }

  @Test
  void aContenderHasOneColourInAllCharts() throws Exception {
    Map<String, String> colours = new HashMap<>();
    for (Path chart : committed()) {
      Drawing drawing = Drawing.of(Files.readString(chart));
      for (int i = 0; i < drawing.bars().size(); i++) {
        String contender = drawing.contenders().get(i);
        String colour = drawing.bars().get(i).element().getAttribute("fill");
        assertThat(colours.getOrDefault(contender, colour))
            .as("%s in %s", contender, chart)
            .isEqualTo(colour);
        colours.put(contender, colour);
      }
    }
    assertThat(colours).containsKeys("Monolock acquire", "Redisson RLock");
    assertThat(new HashSet<>(colours.values())).hasSameSizeAs(colours.keySet());
  }

  @ParameterizedTest
  @EnumSource(Contenders.class)
  void aColourStandsOutFromLightAndDark(Contenders contender) {
    assertThat(contrast(contender.colour(), "#ffffff")).isGreaterThanOrEqualTo(3);
    assertThat(contrast(contender.colour(), "#161b22")).isGreaterThanOrEqualTo(3);
  }

  /** As WCAG defines it; 3 is what it asks for parts of a picture. */
  private static double contrast(String one, String other) {
    double a = luminance(Color.decode(one)) + 0.05;
    double b = luminance(Color.decode(other)) + 0.05;
    return Math.max(a, b) / Math.min(a, b);
  }

  private static double luminance(Color colour) {
    return 0.2126 * linear(colour.getRed())
        + 0.7152 * linear(colour.getGreen())
        + 0.0722 * linear(colour.getBlue());
  }

  private static double linear(int channel) {
    double share = channel / 255.0;
    return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
  }

  @Test
  void unusualFiguresAndNamesAreReadableToo() throws Exception {
    assertReadable(drawn("per second"));
    assertReadable(drawn("p50 us"));
    assertThat(Drawing.of(drawn("p50 us")).title())
        .isEqualTo("One <key> & more: what it \"costs\", µs");
  }

  @Test
  void aBarIsAsLongAsItsValueAndWhatWasNotMeasuredHasNone() throws Exception {
    Drawing drawing = Drawing.of(drawn("p50 us"));
    assertThat(drawing.contenders())
        .containsExactly("Monolock acquire", "Monolock, quorum of 3", "Redisson RLock");
    assertThat(drawing.values()).containsExactly("100", "no figure", "0");
    List<Double> lengths = drawing.bars().stream().map(bar -> bar.box().getWidth()).toList();
    assertThat(lengths.get(0)).isGreaterThan(200);
    assertThat(lengths.get(1)).isZero();
    assertThat(lengths.get(2)).isLessThan(3);
    assertThat(drawing.texts())
        .extracting(text -> text.element().getTextContent())
        .contains("64 waiters", "a < b & c");
  }

  @Test
  void aChartIsFoundInTheTextThatShowsIt() {
    Chart chart = new Chart("free-key", "A key: pairs", Metric.SERVER_CPU);
    assertThat(Chart.in("Text.\n" + chart.markdown() + "\n![](other.png)\n"))
        .containsExactly(chart);
  }
}
