// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import java.io.File;
import java.net.URI;
import java.net.URLClassLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The class path of this program, be it started by Java or inside Maven. */
final class ClassPath {

  private ClassPath() {}

  static String ofThisProgram() {
    if (ClassPath.class.getClassLoader() instanceof URLClassLoader loader) {
      return Stream.of(loader.getURLs())
          .map(url -> URI.create(url.toString()).getPath())
          .collect(Collectors.joining(File.pathSeparator));
    }
    return System.getProperty("java.class.path");
  }
}
