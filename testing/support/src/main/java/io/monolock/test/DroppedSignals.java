// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import reactor.core.publisher.Hooks;

/**
 * Fails a test during which Reactor dropped an error or a value because no subscriber could take
 * it.
 *
 * <pre>{@code
 * @ExtendWith(DroppedSignals.class)
 * class CancelTest {
 *   @Test
 *   void nothingIsDropped() { ... }
 *
 *   @Test
 *   void theLateErrorIsDropped(DroppedSignals dropped) {
 *     dropped.allow();
 *     ...
 *     assertThat(dropped.errors()).hasSize(1);
 *   }
 * }
 * }</pre>
 *
 * <p>It counts from before the test's {@code @BeforeEach} methods until after its
 * {@code @AfterEach} methods, in all threads; signals that are dropped later do not count, so a
 * test first waits for what it started. The hooks are global in the JVM: tests must not run in
 * parallel, and other hooks for dropped signals are reset after a test.
 */
public final class DroppedSignals
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

  private final List<Throwable> errors = new CopyOnWriteArrayList<>();
  private final List<Object> values = new CopyOnWriteArrayList<>();
  private volatile boolean isAllowed;

  /** JUnit creates one for each class that it extends. */
  public DroppedSignals() {}

  /** Lets this test pass even if signals are dropped. */
  public void allow() {
    isAllowed = true;
  }

  /**
   * The errors that were dropped during this test so far.
   *
   * @return the errors, in the order in which they were dropped
   */
  public List<Throwable> errors() {
    return List.copyOf(errors);
  }

  /**
   * The values that were dropped during this test so far.
   *
   * @return the values, in the order in which they were dropped
   */
  public List<Object> values() {
    return List.copyOf(values);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    errors.clear();
    values.clear();
    isAllowed = false;
    Hooks.onErrorDropped(errors::add);
    Hooks.onNextDropped(values::add);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Hooks.resetOnErrorDropped();
    Hooks.resetOnNextDropped();
    if (!isAllowed && (!errors.isEmpty() || !values.isEmpty())) {
      AssertionError failure =
          new AssertionError("Reactor dropped errors " + errors + " and values " + values);
      errors.forEach(failure::addSuppressed);
      throw failure;
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == DroppedSignals.class;
  }

  @Override
  public DroppedSignals resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return this;
  }
}
