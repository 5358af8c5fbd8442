// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.awt.Color;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    chart
        .bars()
        .forEach((name, heights) -> drawing.addSeries(name, chart.groups(), drawn(heights)));
    Files.createDirectories(folder);
    try (OutputStream file = Files.newOutputStream(folder.resolve(chart.file() + ".svg"))) {
      VectorGraphicsEncoder.saveVectorGraphic(drawing, file, VectorGraphicsFormat.SVG);
    }
  }

  private static List<Double> drawn(List<Double> heights) {
    return heights.stream().map(height -> Double.isNaN(height) ? 0 : height).toList();
  }
}
