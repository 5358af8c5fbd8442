// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The file of results. Each scenario has a part of it, which it replaces when it is measured again;
 * remarks about the figures are in files of their own, {@code notes/NAME.md}, so that they stay.
 */
public final class Document {

  private static final String FILE = "RESULTS.md";
  private static final Pattern PART =
      Pattern.compile("(?s)<!-- begin (\\S+) -->\n(.*?)<!-- end \\1 -->\n");
  private static final Pattern TARGETS =
      Pattern.compile("(?s)<!-- targets -->\n.*?---[^\n]*\n(.*?)\n<!-- -->\n");
  private static final Pattern REMARKS =
      Pattern.compile("(?s)(<!-- remarks -->\n).*?(<!-- end of remarks -->\n)");
  private static final List<String> TARGET_HEAD = List.of("figure", "target", "measured", "");

  private final Path folder;
  private final List<String> order;

  /**
   * The results in a folder.
   *
   * @param folder where {@code RESULTS.md}, {@code charts} and {@code notes} are
   * @param order the names of scenarios in the order of their parts; others come after them
   */
  public Document(Path folder, List<String> order) {
    this.folder = folder;
    this.order = order;
  }

  /**
   * The folder of this module, seen from where the program was started.
   *
   * @return {@code benchmarks} below the current folder, or the current folder
   */
  public static Path module() {
    Path module = Path.of("benchmarks");
    return Files.isDirectory(module) ? module : Path.of("");
  }

  /**
   * Replaces the part of a scenario, or adds it.
   *
   * @param section the new part
   * @param circumstances the machine, the time and the command
   * @throws IOException when it cannot be written
   */
  public void put(Section section, String circumstances) throws IOException {
    Files.createDirectories(folder);
    Map<String, String> parts = parts();
    parts.put(section.name(), text(section, circumstances));
    write(sorted(parts));
    draw(parts.get(section.name()));
  }

  private Map<String, String> sorted(Map<String, String> parts) {
    Map<String, String> sorted = new LinkedHashMap<>();
    Stream.concat(order.stream(), parts.keySet().stream())
        .filter(parts::containsKey)
        .forEach(name -> sorted.put(name, parts.get(name)));
    return sorted;
  }

  /**
   * Takes the remarks over anew, and nothing else.
   *
   * @throws IOException when it cannot be written
   */
  public void rewrite() throws IOException {
    write(parts());
  }

  /**
   * Draws the charts anew, from the tables.
   *
   * @throws IOException when they cannot be written
   */
  public void redraw() throws IOException {
    for (String part : parts().values()) {
      draw(part);
    }
  }

  private void draw(String part) throws IOException {
    Path charts = Files.createDirectories(folder.resolve("charts"));
    for (Chart chart : Chart.in(part)) {
      BarChart bars = BarChart.of(chart, Table.firstOf(part));
      Files.writeString(charts.resolve(chart.file() + ".svg"), SvgWriter.svg(bars));
    }
  }

  private void write(Map<String, String> parts) throws IOException {
    Files.writeString(folder.resolve(FILE), whole(parts));
  }

  private Map<String, String> parts() throws IOException {
    Map<String, String> parts = new LinkedHashMap<>();
    Path file = folder.resolve(FILE);
    if (Files.exists(file)) {
      Matcher matcher = PART.matcher(Files.readString(file));
      while (matcher.find()) {
        parts.put(matcher.group(1), matcher.group(2));
      }
    }
    return parts;
  }

  private String whole(Map<String, String> parts) throws IOException {
    StringBuilder text =
        new StringBuilder(
            """
            # Results

            Written by the programs of this module, a part for each scenario; each part says when, where and by which of
            them, and CONTRIBUTING.md has the commands. Medians of rounds in which the contenders took turns; the rounds
            themselves are folded away below the tables. Figures without a unit are for each operation.

            ## Targets

            """);
    text.append(new Table(TARGET_HEAD).markdown());
    for (String part : parts.values()) {
      Matcher targets = TARGETS.matcher(part);
      if (targets.find()) {
        text.append(targets.group(1));
      }
    }
    text.append('\n');
    for (Map.Entry<String, String> part : parts.entrySet()) {
      text.append("<!-- begin %s -->\n".formatted(part.getKey()));
      text.append(withRemarks(part.getKey(), part.getValue()));
      text.append("<!-- end %s -->\n".formatted(part.getKey()));
    }
    return text.toString();
  }

  private String withRemarks(String name, String part) throws IOException {
    Path notes = folder.resolve("notes").resolve(name + ".md");
    String remarks = Files.exists(notes) ? Files.readString(notes).strip() + "\n" : "";
    return REMARKS.matcher(part).replaceFirst("$1" + Matcher.quoteReplacement(remarks) + "$2");
  }

  private static String text(Section section, String circumstances) {
    StringBuilder text = new StringBuilder();
    text.append("\n## ").append(section.title()).append("\n\n");
    text.append(section.text()).append("\n\n");
    text.append(section.medians().markdown()).append('\n');
    if (!section.targets().isEmpty()) {
      Table targets = new Table(TARGET_HEAD);
      section.targets().forEach(target -> targets.row(target.row()));
      text.append("<!-- targets -->\n").append(targets.markdown()).append("\n<!-- -->\n\n");
    }
    text.append(
        section.charts().stream()
            .map(chart -> chart.markdown() + "\n\n")
            .collect(Collectors.joining()));
    text.append("<!-- remarks -->\n<!-- end of remarks -->\n\n");
    text.append("<details><summary>All rounds</summary>\n\n");
    text.append(section.rounds().markdown());
    text.append("\n</details>\n\n");
    text.append(circumstances).append("\n\n");
    return text.toString();
  }
}
