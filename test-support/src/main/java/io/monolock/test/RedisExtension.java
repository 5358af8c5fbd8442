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

/**
 * Gives the tests of a class a {@link RedisServer}, as a parameter of the constructor or of any
 * test or lifecycle method.
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
 * those that it changed with {@code CONFIG SET} stay. When a test fails, the end of the server's
 * log is printed and the log file kept. Tests of one class must therefore not run in parallel;
 * classes may.
 *
 * <p>A test with special needs starts a server of its own with {@link RedisServer#builder()}.
 */
public final class RedisExtension
    implements ParameterResolver, BeforeEachCallback, AfterAllCallback, TestWatcher {

  private static final Namespace NAMESPACE = Namespace.create(RedisExtension.class);
  private static final int LOG_LINES = 30;

  /** JUnit creates one for each class that it extends. */
  public RedisExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == RedisServer.class;
  }

  @Override
  public RedisServer resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return store(context)
        .computeIfAbsent(RedisServer.class, key -> RedisServer.start(), RedisServer.class);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    started(context).ifPresent(RedisServer::reset);
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    started(context).ifPresent(server -> showLog(server, context));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      started(context).ifPresent(server -> showLog(server, context));
    }
  }

  private static Optional<RedisServer> started(ExtensionContext context) {
    return Optional.ofNullable(store(context).get(RedisServer.class, RedisServer.class));
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
}
