// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Gives the tests of a class a {@link RedisServer}, as a parameter of the constructor or of any
 * test or lifecycle method; or a {@link RedisCluster}, {@link RedisSentinels} or {@link
 * RedisMasters}, or several of these.
 *
 * <pre>{@code
 * @ExtendWith(RedisExtension.class)
 * class CounterTest {
 *   @Test
 *   void countsUp(RedisServer server) {
 *     assertThat(server.commandAsLong("INCR", "counter")).isEqualTo(1);
 *   }
 * }
 * }</pre>
 *
 * <p>A class and the classes nested in it share one server; it is started for the first parameter
 * and closed after the class. Before each test, ahead of its {@code @BeforeEach} methods, the
 * server loses its data and scripts, and is started or resumed if a test has stopped or paused it.
 * Settings that a test changed with {@link RedisServer#configure(String, String)} are restored,
 * changes by {@code CONFIG SET} stay. When a test fails, the end of the server's log is printed and
 * the log file kept. Tests of one class must therefore not run in parallel; classes may.
 *
 * <p>The same goes for several servers that belong together. Before each test, faults of their
 * proxies end too, and the servers settle: which takes no time unless a test has left one of them
 * down. Roles and owners of slots stay as the last test left them.
 *
 * <p>{@link RedisSetup} says which version runs, and whether there are proxies. A test with more
 * special needs starts a server of its own with {@link RedisServer#builder()}.
 */
public final class RedisExtension
    implements ParameterResolver, BeforeEachCallback, AfterAllCallback, TestWatcher {

  private static final Namespace NAMESPACE = Namespace.create(RedisExtension.class);
  private static final int LOG_LINES = 30;

  /** JUnit creates one for each class that it extends. */
  public RedisExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return Fixture.of(parameter.getParameter().getType()).isPresent();
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return Fixture.of(parameter.getParameter().getType())
        .map(fixture -> start(fixture, context))
        .orElseThrow();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Fixture.ALL.forEach(fixture -> reset(fixture, context));
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    Fixture.ALL.forEach(fixture -> showLogs(fixture, context));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      Fixture.ALL.forEach(fixture -> showLogs(fixture, context));
    }
  }

  private static <T> T start(Fixture<T> fixture, ExtensionContext context) {
    RedisSetup setup =
        AnnotationSupport.findAnnotation(
                outermostClass(context).getRequiredTestClass(), RedisSetup.class)
            .orElseGet(() -> Default.class.getAnnotation(RedisSetup.class));
    return store(context)
        .computeIfAbsent(fixture.type(), key -> fixture.start().apply(setup), fixture.type());
  }

  private static <T> void reset(Fixture<T> fixture, ExtensionContext context) {
    started(fixture, context).ifPresent(fixture.reset());
  }

  private static <T> void showLogs(Fixture<T> fixture, ExtensionContext context) {
    started(fixture, context).map(fixture.servers()).stream()
        .flatMap(List::stream)
        .forEach(server -> showLog(server, context));
  }

  private static <T> Optional<T> started(Fixture<T> fixture, ExtensionContext context) {
    return Optional.ofNullable(store(context).get(fixture.type(), fixture.type()));
  }

  private static Store store(ExtensionContext context) {
    return outermostClass(context).getStore(NAMESPACE);
  }

  private static ExtensionContext outermostClass(ExtensionContext context) {
    return context
        .getParent()
        .filter(parent -> parent.getTestClass().isPresent())
        .map(RedisExtension::outermostClass)
        .orElse(context);
  }

  private static void showLog(RedisServer server, ExtensionContext context) {
    Path file = server.keepLog();
    List<String> lines = server.log().lines().toList();
    List<String> tail = lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size());
    System.err.printf(
        "%s failed. End of the log of Redis on port %d, all of it in %s:%n%s%n",
        context.getDisplayName(), server.port(), file, String.join("\n", tail));
  }

  @RedisSetup
  private static final class Default {}
}
