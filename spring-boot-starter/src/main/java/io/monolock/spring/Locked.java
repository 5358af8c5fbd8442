// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method of a bean under a lock. The method returns a {@code Mono}, a {@code Flux}, a {@code
 * CompletableFuture} or a {@code CompletionStage}, or is a {@code suspend} function of Kotlin; any
 * other one fails the start of the application.
 *
 * <pre>{@code
 * @Locked(keys = "'order:' + #id", ttl = "10s", waitAtMost = "2s")
 * Mono<Receipt> pay(long id) {
 *   return payments.charge(id);
 * }
 * }</pre>
 *
 * <p>The lock spans the subscription, not the call: each subscription of what the method returns
 * evaluates the keys, takes them, calls the method, and frees them when what the method returned
 * has ended. Without a subscription nothing is locked. The outcomes are those of {@link
 * io.monolock.ReactiveLocker#withLock(java.util.Collection, io.monolock.LockOptions,
 * java.util.function.Function)}; when the keys cannot be evaluated, an {@link
 * IllegalArgumentException} that names the method and the expression, and then the method was not
 * called.
 *
 * <p>The method, and what it returned, find the lock in the Reactor Context: {@link
 * io.monolock.reactor.CurrentLock}.
 *
 * <p>A method that returns a future takes the lock when it is called, as no subscription tells that
 * the result is wanted; it is called later, on the scheduler of the locker, and its work does not
 * find the lock in a Context. To cancel the future that the caller has, which is another one, is to
 * cancel the subscription.
 *
 * <p>Cancelled, the subscription of what the method returned is cancelled and the lock is freed at
 * once, or at the end of the work with {@link #finishOnCancel}. The body of a {@code suspend}
 * function is cancelled cooperatively when its caller is: it may still be running when the lock is
 * free already, unless {@link #finishOnCancel} is on.
 *
 * <p>Options that are not set are those of the locker's defaults, which are the properties {@code
 * monolock.*}. All texts may have {@code ${placeholders}}. Times have a unit; without one they fail
 * the start.
 *
 * <p>Not locked are calls that do not go through the bean that Spring hands out: of another method
 * of the same object, or on an object created with {@code new}. Methods that Spring cannot stand
 * before, as they are {@code private}, {@code final} or {@code static}, fail the start. The
 * annotation is also found on methods of interfaces and on other annotations. The lock is outside
 * of a transaction: it is taken before that begins, and freed after that has ended.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Locked {

  /**
   * The key, as it stands here: the same one for each call, as {@code nightly-report}. Keys that
   * depend on the call are {@link #keys}; an annotation has one or the other.
   *
   * @return the key, empty for none
   */
  String key() default "";

  /**
   * Expressions in the language of Spring (SpEL) for the keys; all are taken together. The
   * parameters of the method are variables: by their name, as {@code #id}, which takes the compiler
   * option {@code -parameters} in Java, or by their position, as {@code #p0}. The root has {@code
   * method}, {@code methodName}, {@code args}, {@code target} and {@code targetClass}; {@code
   * @name} is a bean. A text stands in quotes. A variable, or a name of the root, that does not
   * exist fails the start.
   *
   * <p>A collection or an array gives several keys. A key is a text, a number, a {@code UUID}, an
   * enum or another simple value, and neither null nor empty. Note that {@code 'order:' + null} is
   * a text, too.
   *
   * @return one expression or several, or none with {@link #key}
   */
  String[] keys() default {};

  /**
   * The name of the {@link io.monolock.ReactiveLocker} bean. Default: the only or primary one; with
   * several, of which none is primary, the start fails.
   *
   * @return the name, empty for the default
   */
  String locker() default "";

  /**
   * How long the lock lives without a refresh, as {@code 10s}, {@code 500ms} or {@code PT10S}; 10
   * ms to 365 days.
   *
   * @return the time, empty for the default of the locker
   */
  String ttl() default "";

  /**
   * How long to wait for the lock at most, as {@code 2s}; {@code 0s} is a single attempt.
   *
   * @return the time, empty for the default of the locker, or for a single attempt with {@link
   *     OnBusy#SKIP}
   */
  String waitAtMost() default "";

  /**
   * What becomes of a call while another holder has a key.
   *
   * @return to fail, unless set
   */
  OnBusy onBusy() default OnBusy.FAIL;

  /**
   * How long refreshes may hold the lock in all, as {@code 1h}.
   *
   * @return the time, empty for the default of the locker
   */
  String maxHold() default "";

  /**
   * How long the keys stay taken at least, counted from the grant, as {@code 1m}. With {@link
   * OnBusy#SKIP} the method runs at most once in this time, on all instances together.
   *
   * @return the time, empty for the default of the locker
   */
  String holdAtLeast() default "";

  /**
   * Text that is stored behind the token, for people who look at Redis.
   *
   * @return the text, empty for the default of the locker
   */
  String metadata() default "";

  /**
   * Whether the lock is refreshed while the method's work runs: {@code autoRefresh = false}.
   *
   * @return one value, or none for the default of the locker
   */
  boolean[] autoRefresh() default {};

  /**
   * Whether the lock gets a fencing token: {@code fenced = true}.
   *
   * @return one value, or none for the default of the locker
   */
  boolean[] fenced() default {};

  /**
   * Whether work that is cancelled runs to its end under the lock: {@code finishOnCancel = true}.
   *
   * @return one value, or none for the default of the locker
   */
  boolean[] finishOnCancel() default {};

  /** What becomes of a call while another holder has a key. */
  enum OnBusy {

    /** It fails with a {@link io.monolock.LockNotAcquiredException}. */
    FAIL,

    /**
     * It is skipped: the method is not called, and what it would return completes empty; a {@code
     * suspend} function or a future gives null. One attempt is made, unless {@link
     * Locked#waitAtMost} is set on the annotation. A line of the level debug and {@link
     * SkipObserver} beans tell of it.
     *
     * <p>For a {@code suspend} function the type of the result must have null, or be {@code Unit};
     * any other fails the start.
     */
    SKIP
  }
}
