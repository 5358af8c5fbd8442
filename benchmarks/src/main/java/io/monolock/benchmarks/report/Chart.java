// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A picture of one column of a table. It stands in the file of results as an image whose tooltip is
 * the column, so that it can be drawn again from there.
 *
 * @param file the name of its file, without the ending
 * @param title what it shows
 * @param column the head of the column
 */
public record Chart(String file, String title, String column) {

  private static final Pattern IMAGE =
      Pattern.compile("!\\[(.*?)]\\(charts/(\\S+)\\.svg \"(.*?)\"\\)");

  /**
   * A picture of a metric.
   *
   * @param file the name of its file, without the ending
   * @param title what it shows
   * @param metric what the bars stand for
   */
  public Chart(String file, String title, Metric metric) {
    this(file, title, metric.title());
  }

  /**
   * The image in Markdown.
   *
   * @return a line without its end
   */
  public String markdown() {
    return "![%s](charts/%s.svg \"%s\")".formatted(title, file, column);
  }

  /**
   * Finds the images.
   *
   * @param markdown a text
   * @return what {@link #markdown} wrote into it
   */
  public static List<Chart> in(String markdown) {
    return IMAGE
        .matcher(markdown)
        .results()
        .map(image -> new Chart(image.group(2), image.group(1), image.group(3)))
        .toList();
  }
}
