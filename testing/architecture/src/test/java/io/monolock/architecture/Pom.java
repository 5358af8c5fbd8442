// SPDX-License-Identifier: Apache-2.0
package io.monolock.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** A pom file as it is written, without what it inherits. */
record Pom(Document document) {

  /** Of the checkout that this module is part of. */
  static final Path ROOT = Path.of("..", "..");

  static Pom of(Path file) {
    try {
      return new Pom(
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()));
    } catch (Exception e) {
      throw new IllegalArgumentException(file.toString(), e);
    }
  }

  static Pom ofModule(String folder) {
    return of(ROOT.resolve(folder).resolve("pom.xml"));
  }

  /** The folders of the modules that a release deploys. */
  static List<String> publishedModules() {
    return of(ROOT.resolve("pom.xml")).texts("/project/modules/module").stream()
        .filter(
            folder ->
                !ofModule(folder).texts("/project/properties/maven.deploy.skip").contains("true"))
        .toList();
  }

  String artifact() {
    return text("/project/artifactId");
  }

  /** The text of the only element there. */
  String text(String path) {
    List<String> found = texts(path);
    if (found.size() != 1) {
      throw new IllegalArgumentException(path + " is there " + found.size() + " times");
    }
    return found.get(0);
  }

  List<String> texts(String path) {
    try {
      NodeList nodes =
          (NodeList)
              XPathFactory.newInstance()
                  .newXPath()
                  .evaluate(path, document, XPathConstants.NODESET);
      return IntStream.range(0, nodes.getLength())
          .mapToObj(i -> nodes.item(i).getTextContent().strip())
          .toList();
    } catch (Exception e) {
      throw new IllegalArgumentException(path, e);
    }
  }
}
