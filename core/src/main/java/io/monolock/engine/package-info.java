// SPDX-License-Identifier: Apache-2.0
/**
 * The engine of a locker: everything that takes time. A {@link io.monolock.store.LockStore} does
 * single atomic calls; waiting, retry, hand-over, refresh, expiry and cleaning up are here, once
 * for all stores. The only public type is {@link StoreLockerBuilder}, which {@link
 * io.monolock.ReactiveLocker#builder ReactiveLocker.builder} calls; that call is also the only one
 * from the API into this package.
 *
 * <h2>A process holds leases, callers hold locks</h2>
 *
 * <p>A {@link Lease} is what one token has, or may have, in the store. A {@link HeldLock}, the
 * handle that a caller gets, is a turn on a lease: it begins, it ends once, and it has ended before
 * the next one begins on the same lease. Handles send nothing; the lease alone sends commands for
 * its token, each as a {@link LeaseCall}, and keeps the {@link Ledger} of them. Most leases have
 * one handle. A token that user code knows has one lease in a locker, with a handle for each
 * caller.
 *
 * <h2>The ledger</h2>
 *
 * <p>It knows which calls are unanswered, which keys were or may have been taken, until when the
 * store may keep them, and what is left of holdAtLeast. From that follows all cleaning up:
 *
 * <ul>
 *   <li>A release is sent when no acquire for its keys is unanswered, and no extend either if it
 *       keeps the keys; an acquire waits for an unanswered release. So nothing relies on the order
 *       of a connection. A call that is held up and whose caller gives up is never sent.
 *   <li>A call is never cancelled. At its timeout its caller is told; it counts as in doubt then,
 *       an acquire only one ttl later. An answer that comes after that is processed all the same.
 *   <li>Keys that were taken, or may have been, and that neither a line asks for nor a handle
 *       holds, are released: {@link Lease#tidy}. After doubt that is done again after a second and
 *       at half the ttl, with what is then left of holdAtLeast.
 *   <li>A call for a handle enters the ledger only if that handle has not ended, which is looked at
 *       under the monitor of the lease. That the keys are not ours counts only if it was asked
 *       after the confirmation that is relied on.
 * </ul>
 *
 * <h2>The line</h2>
 *
 * <p>Callers that want the same keys stand in one {@link WaitLine}, as {@link
 * AcquireSubscription}s. The line asks, with {@link LineAttempt}s for a lease of its own, and its
 * {@link AskSchedule} says when: when the first one joins, soon after a wake-up, when the holder's
 * ttl ends, once a second while others stand behind, and when the first one's {@link RetryDriver}
 * says so. A grant serves whichever waiter is first by then; a refusal counts for those that had
 * joined when it was sent. So waiters that leave cost nothing. When no waiter is left, the line
 * gives its lease up. {@link WaitLines} keeps lines that overlap from starving each other.
 *
 * <h2>Passing on</h2>
 *
 * <p>{@link Release} gives keys back, and {@link HandOver} decides where to: the lease is passed on
 * to the first waiter without a command, or the keys are transferred to a new token by one command,
 * or they are freed. {@link TurnBudget} says when it is the turn of other processes: then the keys
 * are freed and the line steps back. A deadline never moves by passing on.
 *
 * <h2>Signals</h2>
 *
 * <p>Subscribers, bodies, listeners, observers and retry specs are called through {@link
 * SignalExecutor} and nowhere else, one after the other for each acquisition. {@link
 * GuardedSubscriber} stands between a body and its subscriber: it checks each signal against the
 * deadline and makes one after the other.
 *
 * <h2>The order in which to read</h2>
 *
 * <p>{@link StoreCall}, {@link Ledger}, {@link Lease}, {@link HeldLock}, {@link Release}, {@link
 * HandOver}; then {@link AcquireSubscription}, {@link WaitLine}, {@link AskSchedule}; then {@link
 * KeepAlive}, {@link GuardedSubscriber}, {@link Scope}; {@link StoreLocker} composes them. {@link
 * LeaseRegistry} is there to close and to list. The others are small and are looked up when met.
 *
 * <h2>Rules that hold everywhere</h2>
 *
 * <ul>
 *   <li><b>Monitors</b> guard fields only. While one is held, no store, observer, subscriber or
 *       user's code is called; what is to be called is decided under the monitor and called after
 *       it. The monitor of a line may be held when that of a lease is taken, never the other way.
 *   <li><b>Threads.</b> Answers arrive on the store's threads, tasks run on the timer, requests and
 *       cancels come on any. None of them runs users' code. Elements of a body pass on the body's
 *       own thread.
 *   <li><b>Nothing recurses.</b> What a line is to ask is asked by one thread, in a loop; a signal
 *       within a signal comes after it.
 *   <li><b>Whatever is thrown</b> by a store is a failure of that call, by a subscriber the end of
 *       its subscription, by an observer a line in the log; a task of the timer that throws is
 *       logged.
 *   <li><b>A grant is never dropped</b>: it is delivered, goes to the next caller, or is freed.
 *   <li><b>Time</b> is {@link LockerContext#now}, in nanoseconds of the locker's timer; {@link
 *       Nanos} adds without overflow. A deadline is compared with it at each question; tasks only
 *       make sure that the end is signalled in time.
 *   <li><b>Waiting for the store</b> always ends: by a limit of the {@link TimerWheel}, which comes
 *       at once when the locker is closed, never by the store's own timeout.
 * </ul>
 */
@NullMarked
package io.monolock.engine;

import org.jspecify.annotations.NullMarked;
