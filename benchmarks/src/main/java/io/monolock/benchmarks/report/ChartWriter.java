// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Draws charts into a folder. */
public final class ChartWriter {

  static {
    System.setProperty("java.awt.headless", "true");
  }

  // letters are drawn as outlines: digits that nobody sees are most of the file
  private static final Pattern DECIMALS = Pattern.compile("(\\d+)(?:\\.0|(\\.\\d))\\d*");

  private final Path folder;

  /**
   * A writer of charts.
   *
   * @param folder where they go
   */
  public ChartWriter(Path folder) {
    this.folder = folder;
  }

  /**
   * Draws a chart as SVG.
   *
   * @param chart what to draw
   * @throws IOException when it cannot be written
   */
  public void write(BarChart chart) throws IOException {
    CategoryChart drawing =
        new CategoryChartBuilder()
            .width(760)
            .height(380)
            .title(chart.title())
            .yAxisTitle(chart.unit())
            .build();
    drawing.getStyler().setLegendPosition(LegendPosition.OutsideE);
    drawing.getStyler().setChartBackgroundColor(Color.WHITE);
    drawing.getStyler().setLabelsVisible(true);
    drawing.getStyler().setDecimalPattern("#,##0.##");
    chart
        .bars()
        .forEach((name, heights) -> drawing.addSeries(name, chart.groups(), drawn(heights)));
    Files.createDirectories(folder);
    ByteArrayOutputStream svg = new ByteArrayOutputStream();
    VectorGraphicsEncoder.saveVectorGraphic(drawing, svg, VectorGraphicsFormat.SVG);
    Files.writeString(
        folder.resolve(chart.file() + ".svg"),
        DECIMALS.matcher(svg.toString(StandardCharsets.UTF_8)).replaceAll("$1$2"));
  }

  private static List<Double> drawn(List<Double> heights) {
    return heights.stream().map(height -> Double.isNaN(height) ? 0 : height).toList();
  }
}
