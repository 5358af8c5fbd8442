// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.File;
import java.net.URI;
import java.net.URLClassLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The class path of this program, for other JVMs that run parts of it. */
public final class ClassPath {

  private ClassPath() {}

  /**
   * The class path of this JVM, or of the class loader of a program that Maven runs in its own.
   *
   * @return the entries as {@code java -cp} takes them
   */
  public static String ofThisProgram() {
    if (ClassPath.class.getClassLoader() instanceof URLClassLoader loader) {
      return Stream.of(loader.getURLs())
          .map(url -> URI.create(url.toString()).getPath())
          .collect(Collectors.joining(File.pathSeparator));
    }
    return System.getProperty("java.class.path");
  }
}
