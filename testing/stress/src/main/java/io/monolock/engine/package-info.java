// SPDX-License-Identifier: Apache-2.0
/**
 * Races of two threads in the engine, each repeated many times by jcstress. In the engine's own
 * package, as most of what races is not public.
 *
 * <p>Each class named {@code XVersusY} is one race: its constructor brings a fresh locker to the
 * point before the race, its two actors run on a thread each, and its arbiter looks at what is left
 * and names the outcome. The annotations say which outcomes are allowed; one that is not fails the
 * build. In the order in which to read them:
 *
 * <ol>
 *   <li>What all races of locks share: {@link StressLocker} is a locker whose every step runs on
 *       the threads of the race, {@link OneLockStore} is its store, which can hold calls and
 *       answers back, {@link HandTimer} its clock, and {@link RecordingSubscriber} counts signals.
 *   <li>The waiting line: {@link JoinVersusRelease}, {@link TwoJoinsVersusRelease}, {@link
 *       JoinVersusLeave} and {@link WakeUpVersusRefusal}. No waiter may be left beside a free key.
 *   <li>Hand-over: {@link CancelVersusHandOver}, {@link TimeLimitVersusHandOver} and {@link
 *       TokenVersusPassingOn} while a lease is passed on, {@link AttemptVersusHandOver} and {@link
 *       CancelVersusTransfer} while keys are transferred, {@link AnswerVersusLeave}, {@link
 *       JoinVersusStepBack}. A lock is delivered once, or goes to the next one, or is freed.
 *   <li>Closing: {@link CloseVersusJoin}, {@link CloseVersusHandOver}. Every waiter ends, the
 *       locker closes, and no key is left.
 *   <li>The outcome of a release: {@link OutcomeVersusAsking}, {@link OutcomeVersusCancel}, {@link
 *       OutcomeVersusTimeLimit}. Each subscriber gets one outcome, or none after cancel.
 *   <li>The parts below: {@link TwoProducers} give signals in {@link SignalsOfTwoProducers}; {@link
 *       TimerCancelVersusRun}, {@link TimerCancelVersusTick}, {@link TimerCancelVersusPlacing} and
 *       {@link TimerStopVersusPlacing} race tasks of the timer wheel.
 * </ol>
 *
 * <p>No race waits or sleeps. Waiters have a retry spec that never tries again, so that a lost
 * wake-up shows as a waiter that is not served. After a change of the engine run {@code mvn -pl
 * testing/stress -am verify}, with {@code -Dstress.time} for longer runs and {@code -Dstress.tests}
 * for some of the races.
 */
@NullMarked
package io.monolock.engine;

import org.jspecify.annotations.NullMarked;
