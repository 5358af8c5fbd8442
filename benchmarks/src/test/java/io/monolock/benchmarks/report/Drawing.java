// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.awt.geom.Rectangle2D;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** A chart as a reader sees it: what an XML parser makes of the file. */
public final class Drawing {

  /** The widest of the usual fonts takes this much of its height for a letter. */
  private static final double LETTER = 0.6;

  private final Element root;

  private Drawing(Element root) {
    this.root = root;
  }

  /**
   * Parses a chart.
   *
   * @param svg the text of its file
   * @return the chart
   * @throws Exception when the parser does not accept it
   */
  public static Drawing of(String svg) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    return new Drawing(
        factory
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
            .getDocumentElement());
  }

  boolean isSvg() {
    return "http://www.w3.org/2000/svg".equals(root.getNamespaceURI())
        && root.getLocalName().equals("svg");
  }

  Rectangle2D page() {
    return new Rectangle2D.Double(0, 0, number(root, "width"), number(root, "height"));
  }

  String title() {
    return elements("title").findFirst().orElseThrow().getTextContent();
  }

  List<Shape> texts() {
    return elements("text").map(text -> new Shape(text, textBox(text))).toList();
  }

  List<Shape> bars() {
    return bars(elements("rect")).map(bar -> new Shape(bar, barBox(bar))).toList();
  }

  /** What stands before each bar. */
  List<String> contenders() {
    return beside(-1);
  }

  /** What stands behind each bar. */
  List<String> values() {
    return beside(1);
  }

  private List<String> beside(int step) {
    List<Element> all = elements("*").toList();
    return bars(all.stream())
        .map(bar -> all.get(all.indexOf(bar) + step).getTextContent())
        .toList();
  }

  private static Stream<Element> bars(Stream<Element> elements) {
    return elements.filter(element -> element.getAttribute("class").equals("bar"));
  }

  private Stream<Element> elements(String name) {
    NodeList nodes = root.getElementsByTagNameNS("*", name);
    return IntStream.range(0, nodes.getLength()).mapToObj(nodes::item).map(Element.class::cast);
  }

  private static Rectangle2D barBox(Element bar) {
    return new Rectangle2D.Double(
        number(bar, "x"), number(bar, "y"), number(bar, "width"), number(bar, "height"));
  }

  private static Rectangle2D textBox(Element text) {
    double height = number(text, "font-size");
    double width = text.getTextContent().length() * height * LETTER;
    boolean ends = text.getAttribute("text-anchor").equals("end");
    double x = number(text, "x") - (ends ? width : 0);
    return new Rectangle2D.Double(x, number(text, "y") - height, width, height * 1.2);
  }

  private static double number(Element element, String attribute) {
    return Double.parseDouble(element.getAttribute(attribute));
  }

  /** Something that takes room. */
  record Shape(Element element, Rectangle2D box) {

    boolean overlaps(Shape other) {
      return box.intersects(other.box);
    }

    @Override
    public String toString() {
      return element.getTextContent() + " " + element.getTagName() + " at " + box;
    }
  }
}
