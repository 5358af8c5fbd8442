// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.monolock.memory.InMemoryLockStore;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Everything but {@code io.monolock.micrometer} works without Micrometer. */
class WithoutMicrometerTest {

  private static final Path CLASSES = Path.of("target/classes");

  /** What a user does, in a class loader of its own. */
  public static final class User implements Callable<String> {

    @Override
    public String call() {
      ReactiveLocker locker =
          ReactiveLocker.builder(InMemoryLockStore.create())
              .observer(new LockObserver() {})
              .build();
      String value = locker.withLock("a", Duration.ofSeconds(9), Mono.just("worked")).block();
      locker.close().block();
      return value;
    }
  }

  private static URLClassLoader withoutMicrometer() {
    URL[] rest =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("micrometer") && !entry.contains("prometheus"))
            .map(WithoutMicrometerTest::url)
            .toArray(URL[]::new);
    return new URLClassLoader(rest, ClassLoader.getPlatformClassLoader());
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Test
  void everyOtherClassLoads() throws Exception {
    try (URLClassLoader loader = withoutMicrometer()) {
      assertThatThrownBy(() -> loader.loadClass("io.micrometer.core.instrument.MeterRegistry"))
          .isInstanceOf(ClassNotFoundException.class);
      List<String> others = classes().filter(name -> !name.contains(".micrometer.")).toList();
      assertThat(others).hasSizeGreaterThan(40);
      for (String name : others) {
        Class<?> loaded = Class.forName(name, true, loader);
        assertThat(loaded.getDeclaredMethods()).isNotNull();
      }
    }
  }

  @Test
  void lockerWorks() throws Exception {
    try (URLClassLoader loader = withoutMicrometer()) {
      Class<?> user = loader.loadClass(User.class.getName());
      Callable<?> call = (Callable<?>) user.getDeclaredConstructor().newInstance();

      assertThat(call.call()).isEqualTo("worked");
    }
  }

  @Test
  void usersDoNotGetItAsTheyDidNotAskForIt() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));

    assertThat(pom.replaceAll("\\s", ""))
        .contains(
            "<groupId>io.micrometer</groupId><artifactId>micrometer-core</artifactId>"
                + "<optional>true</optional>");
  }

  private static Stream<String> classes() throws IOException {
    try (Stream<Path> files = Files.walk(CLASSES)) {
      return files
          .map(file -> CLASSES.relativize(file).toString().replace(File.separatorChar, '.'))
          .filter(name -> name.endsWith(".class") && !name.endsWith("package-info.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()))
          .toList()
          .stream();
    }
  }
}
