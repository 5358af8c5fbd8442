// SPDX-License-Identifier: Apache-2.0
package io.monolock.architecture;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.bouncycastle.openpgp.PGPException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A release into a folder. It is made in a copy, as other modules use what is built here; with the
 * classes, so that they need not be compiled again.
 */
@Tag("thorough")
class ReleaseTest {

  private static final Path TARGET = Path.of("target", "release").toAbsolutePath();
  private static final Path SOURCES = TARGET.resolve("sources");
  private static final String VERSION = "1.2.3";
  private static final String URL = "https://example.org/monolock";
  private static final String SCM = "https://example.org/monolock.git";

  private static SigningKey key;

  /** A folder for each artifact. */
  private static Path released;

  @BeforeAll
  static void release() throws Exception {
    key = SigningKey.create();
    delete(TARGET);
    copySources();
    Path repository = TARGET.resolve("repository");
    released = repository.resolve("io/monolock");
    Path log = TARGET.resolve("release.log");

    int exit =
        mvn(
            log,
            "-Prelease",
            "deploy",
            "-pl",
            String.join(",", Pom.publishedModules()),
            "-am",
            "-DskipTests",
            "-Dmaven.main.skip=true",
            "-Dmaven.install.skip=true",
            "-Drevision=" + VERSION,
            "-Drelease.url=" + URL,
            "-Drelease.scm=" + SCM,
            "-DaltDeploymentRepository=release::" + repository.toUri());

    assertThat(exit).as(() -> read(log)).isZero();
  }

  static Stream<String> jars() {
    return Pom.publishedModules().stream()
        .map(folder -> Pom.ofModule(folder).artifact())
        .filter(artifact -> !artifact.equals("monolock-bom"));
  }

  static Stream<String> artifacts() {
    return Stream.concat(jars(), Stream.of("monolock-bom"));
  }

  @Test
  void publishesTheseArtifactsAndNoOthers() {
    assertThat(list(released)).containsExactlyInAnyOrderElementsOf(artifacts().toList()).hasSize(8);
  }

  @ParameterizedTest
  @MethodSource("jars")
  void publishesClassesSourcesAndJavadocOfEachModule(String artifact) {
    assertThat(signedFiles(artifact))
        .containsOnlyOnce(".pom", ".jar", "-sources.jar", "-javadoc.jar")
        .isSubsetOf(".pom", ".jar", "-sources.jar", "-javadoc.jar", "-tests.jar");
  }

  @Test
  void publishesThePomOfTheBom() {
    assertThat(signedFiles("monolock-bom")).containsExactly(".pom");
  }

  @ParameterizedTest
  @MethodSource("artifacts")
  void signsAndSumsUpEachFile(String artifact) throws IOException, PGPException {
    Path folder = released.resolve(artifact).resolve(VERSION);
    for (String end : signedFiles(artifact)) {
      String file = artifact + "-" + VERSION + end;
      assertThat(key.hasSigned(folder.resolve(file), folder.resolve(file + ".asc"))).isTrue();
      assertThat(folder.resolve(file + ".md5")).exists();
      assertThat(folder.resolve(file + ".sha1")).exists();
    }
  }

  @ParameterizedTest
  @MethodSource("artifacts")
  void pomsAreComplete(String artifact) {
    Path file = file(artifact, ".pom");
    Pom pom = Pom.of(file);

    assertThat(read(file).replace("${project.version}", VERSION)).doesNotContain("${", "SNAPSHOT");
    assertThat(pom.texts("/project/parent")).isEmpty();
    assertThat(pom.text("/project/name")).startsWith("Monolock");
    assertThat(pom.text("/project/description")).isNotEmpty();
    assertThat(pom.text("/project/url")).isEqualTo(URL);
    assertThat(pom.text("/project/licenses/license/name")).isEqualTo("Apache-2.0");
    assertThat(pom.text("/project/licenses/license/url")).startsWith("https://");
    assertThat(pom.text("/project/developers/developer/name")).isNotEmpty();
    assertThat(pom.text("/project/developers/developer/organization")).isEqualTo("Monolock");
    assertThat(pom.text("/project/developers/developer/organizationUrl")).isEqualTo(URL);
    assertThat(pom.text("/project/scm/url")).isEqualTo(SCM);
    assertThat(pom.text("/project/scm/connection")).isEqualTo("scm:git:" + SCM);
    assertThat(pom.text("/project/scm/developerConnection")).isEqualTo("scm:git:" + SCM);
  }

  @ParameterizedTest
  @MethodSource("jars")
  void sourcesAndJavadocAreNotEmpty(String artifact) throws IOException {
    assertThat(entries(file(artifact, "-sources.jar")))
        .anyMatch(name -> name.matches(".*\\.(java|kt)"));
    assertThat(entries(file(artifact, "-javadoc.jar")))
        .contains("index.html")
        .anyMatch(name -> name.matches("(.*/)?io/monolock/.*\\.html"));
  }

  @Test
  void withoutAddressesAReleaseSaysWhatIsMissing() throws Exception {
    Path log = TARGET.resolve("no-addresses.log");

    assertThat(mvn(log, "-Prelease", "-N", "validate")).isNotZero();
    assertThat(read(log)).contains("-Drelease.url=https://...", "-Drelease.scm=https://...");
  }

  /** The ends of the names of the files of an artifact, without signatures and check sums. */
  private static List<String> signedFiles(String artifact) {
    return list(released.resolve(artifact).resolve(VERSION)).stream()
        .filter(name -> !name.matches(".*\\.(asc|md5|sha1|sha256|sha512)"))
        .map(name -> name.substring((artifact + "-" + VERSION).length()))
        .toList();
  }

  private static Path file(String artifact, String end) {
    return released.resolve(artifact).resolve(VERSION).resolve(artifact + "-" + VERSION + end);
  }

  private static List<String> entries(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().map(entry -> entry.getName()).toList();
    }
  }

  private static List<String> list(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(path -> path.getFileName().toString())
          .filter(name -> !name.startsWith("maven-metadata"))
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int mvn(Path log, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("maven.home"), "bin", "mvn").toString());
    command.addAll(List.of("-B", "-ntp", "-T", "2"));
    command.add("-Dmaven.repo.local=" + System.getProperty("maven.repo.local"));
    command.addAll(List.of("-Dspotless.check.skip=true", "-Dspotless.apply.skip=true"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(SOURCES.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("MAVEN_GPG_KEY", key.armored());
    builder.environment().remove("MAVEN_GPG_PASSPHRASE");
    builder.environment().remove("MAVEN_BASEDIR");
    builder.environment().remove("MAVEN_PROJECTBASEDIR");
    Process maven = builder.start();
    try {
      assertThat(maven.waitFor(10, MINUTES)).as("mvn ends").isTrue();
      return maven.exitValue();
    } finally {
      maven.destroyForcibly();
    }
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static void copySources() throws IOException {
    Path root = Pom.ROOT.toRealPath();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            if (isLeftOut(root.relativize(folder))) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(SOURCES.resolve(root.relativize(folder)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Path path = root.relativize(file);
            if (!isLeftOut(path)) {
              Files.copy(file, SOURCES.resolve(path), StandardCopyOption.COPY_ATTRIBUTES);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Tests need not be compiled again: the jar that core makes of some is made of their classes. */
  private static boolean isLeftOut(Path path) {
    return path.endsWith(".git")
        || path.endsWith(".flattened-pom.xml")
        || path.endsWith("src/test")
        || path.getParent() != null
            && path.getParent().endsWith("target")
            && !path.endsWith("classes")
            && !path.endsWith("core/target/test-classes");
  }
}
