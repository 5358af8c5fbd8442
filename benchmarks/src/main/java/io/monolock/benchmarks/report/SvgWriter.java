// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.BarChart.Bar;
import io.monolock.benchmarks.report.BarChart.Group;
import java.util.Locale;

/**
 * Draws a chart as SVG: bars from left to right, the contender before each and the value behind it.
 * The picture brings its own background, light or dark as the reader's system is, so that it can be
 * read on any page.
 */
final class SvgWriter {

  private static final int WIDTH = 800;
  private static final int MARGIN = 16;
  private static final int FONT = 22;
  private static final int TITLE_FONT = 26;
  private static final int BAR_START = 306;
  private static final int LONGEST_BAR = 350;
  private static final int BAR_HEIGHT = 26;
  private static final int ROW = 34;
  private static final int GAP = 10;

  private static final String FRAME =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img">
      <title>%3$s</title>
      <style>
      text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
      .page { fill: #ffffff }
      .head { font-weight: 600 }
      @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .page { fill: #161b22 } }
      </style>
      <rect class="page" width="%1$d" height="%2$d" rx="12"/>
      %4$s</svg>
      """;

  private final StringBuilder shapes = new StringBuilder();
  private final double unit;
  private int y = MARGIN;

  private SvgWriter(double unit) {
    this.unit = unit;
  }

  /** Draws a chart. The title has a line for each part of it that a colon separates. */
  static String svg(BarChart chart) {
    double highest =
        chart.groups().stream()
            .flatMap(group -> group.bars().stream())
            .mapToDouble(Bar::value)
            .filter(value -> !Double.isNaN(value))
            .max()
            .orElse(0);
    SvgWriter writer = new SvgWriter(highest > 0 ? LONGEST_BAR / highest : 0);
    String[] title = chart.title().split(": ", 2);
    writer.head(title[0], TITLE_FONT);
    if (title.length > 1) {
      writer.line(MARGIN, "", title[1], FONT);
      writer.y += ROW;
    }
    chart.groups().forEach(writer::group);
    int height = writer.y + MARGIN;
    return FRAME.formatted(WIDTH, height, escaped(chart.title()), writer.shapes);
  }

  private void group(Group group) {
    y += GAP;
    head(group.title(), FONT);
    group.bars().forEach(this::bar);
  }

  private void head(String text, int font) {
    line(MARGIN, " class=\"head\"", text, font);
    y += ROW;
  }

  private void bar(Bar bar) {
    boolean measured = !Double.isNaN(bar.value());
    long length = measured ? Math.round(bar.value() * unit) : 0;
    line(BAR_START - GAP, " text-anchor=\"end\"", bar.contender(), FONT);
    shapes.append(
        "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n"
            .formatted(
                BAR_START,
                y + (ROW - BAR_HEIGHT) / 2,
                length,
                BAR_HEIGHT,
                Contenders.titled(bar.contender()).colour()));
    line(
        BAR_START + length + GAP,
        "",
        measured ? String.format(Locale.ROOT, "%,.0f", bar.value()) : "no figure",
        FONT);
    y += ROW;
  }

  /** Text in the middle of the present row. */
  private void line(long x, String attributes, String text, int font) {
    shapes.append(
        "<text%s x=\"%d\" y=\"%d\" font-size=\"%d\">%s</text>\n"
            .formatted(attributes, x, y + ROW / 2 + font / 3, font, escaped(text)));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
