// SPDX-License-Identifier: Apache-2.0
/**
 * The engine of a locker: everything that takes time. A {@link io.monolock.store.LockStore} does
 * single atomic calls; waiting, retry, hand-over, refresh, expiry and cleaning up are here, once
 * for all stores. The only public type is {@link StoreLockerBuilder}, which {@link
 * io.monolock.ReactiveLocker#builder ReactiveLocker.builder} calls; that call is also the only one
 * from the API into this package.
 *
 * <h2>The way of a lock</h2>
 *
 * <ol>
 *   <li><b>Assembly.</b> {@link StoreLocker} checks keys and options and returns a Mono. All
 *       objects of a lock are made at subscription; {@link LockerContext} is what they share.
 *   <li><b>Subscription.</b> {@link AcquireSubscription} starts at the first request, is entered in
 *       {@link OpenClaims}, and decides once what its subscriber gets. It owns a {@link Claim} (the
 *       token and all store calls for it) and an {@link AskSchedule} (when to ask).
 *   <li><b>First attempt, or the line.</b> A waiter joins the {@link WaitLine} of its keys, found
 *       in {@link WaitLines}; the first one asks at once, the others stand behind it and send
 *       nothing. {@code tryAcquire}, and {@code acquire} without waiting, ask once without a line,
 *       and not at all if others wait. A user's token has a line of its own.
 *   <li><b>Store call.</b> {@link Claim#acquire} counts the attempt as unanswered and sends it as a
 *       {@link StoreCall}, which is never cancelled. The answer goes to the claim first, then to
 *       the schedule, however late it is. At {@code commandTimeout} the attempt has failed for the
 *       schedule; the claim waits for the answer one ttl longer.
 *   <li><b>Refusal.</b> {@link LastAnswer} keeps it for the final error. The next attempt is made
 *       by what comes first: the user's retry spec ({@link RetryDriver}), a wake-up of the store
 *       (the line subscribes to them at the first refusal), the end of the holder's ttl, or one
 *       second while others stand behind. {@code waitAtMost} is a task of the subscription.
 *   <li><b>Grant and delivery.</b> The schedule makes a {@link HeldLock}, whose deadline counts
 *       from before the command. {@link AcquireSubscription} signals it on the users' scheduler, or
 *       gives the claim up if it was cancelled or the deadline is past by then.
 *   <li><b>Holding.</b> {@link KeepAlive} refreshes while it has listeners: subscribers of {@code
 *       keepAlive}, {@link WhileHeld} bodies, and the {@link Scope} of {@code withLock}. Both
 *       bodies run behind a {@link GuardedSubscriber}, which races them with the loss and checks
 *       each signal against the deadline.
 *   <li><b>Loss.</b> {@link HeldLock#lose} ends the handle: at the deadline ({@link TimerWheel}),
 *       or when the store says that the keys are not ours. Listeners are notified, bodies
 *       cancelled.
 *   <li><b>Release and hand-over.</b> {@link Release} waits for unanswered attempts, then hands the
 *       keys to {@link WaitLine#successor} in one store call, if {@link HandOvers} allows one more,
 *       or frees them, and tries again until it is answered or the ttl is over. {@link
 *       ReleaseOutcome} signals the outcome to callers of {@code release}.
 *   <li><b>Cleaning up after cancel.</b> {@link Claim#giveUp} releases what an attempt took or may
 *       have taken, once all attempts are answered, and again later if an outcome was in doubt.
 *   <li><b>Close.</b> {@link OpenClaims} refuses new claims, ends the owners of all others, and
 *       waits until each is settled; then the store is closed and the wheel stopped.
 * </ol>
 *
 * <p>{@link Attachment} enters at step 6 with a token that is held already. To read the code, take
 * {@link StoreCall}, {@link Claim}, {@link AskSchedule}, {@link WaitLine}, {@link
 * AcquireSubscription}, {@link Release}, {@link HeldLock}, {@link KeepAlive}, {@link
 * GuardedSubscriber}, {@link Scope}, {@link StoreLocker}, in this order; the other classes are
 * small and are looked up when met.
 *
 * <h2>Rules that hold everywhere</h2>
 *
 * <ul>
 *   <li><b>Monitors</b> guard fields only. While one is held, no store, observer, subscriber,
 *       waiter or user's code is called; setting and cancelling tasks of the wheel is allowed. What
 *       is to be called is decided under the monitor and called after it. One exception: {@link
 *       RetryDriver#cancel} is called under that of the schedule, and runs the spec's cancel there
 *       if the users' scheduler runs tasks at once.
 *   <li><b>Threads.</b> Answers arrive on the store's threads, tasks run on the timer, requests and
 *       cancels come on any. None of them runs users' code: subscribers, bodies, listeners, the
 *       observer ({@link SerialObserver}) and retry specs are called through {@link
 *       LockerContext#publish} or its scheduler ({@link Lanes}, {@link PublishingTimer}). Elements
 *       of a body pass on the body's own thread.
 *   <li><b>Exactly once.</b> Each end is a flag that is set once (a subscription finished, a handle
 *       or a release ended), and only the caller that sets it signals.
 *   <li><b>A claim</b> sends no release while an attempt is unanswered, and no attempt or refresh
 *       once its release has begun. The user's {@code extend} goes past it, through {@link
 *       LockerContext#ask}, and is not ordered with the release. A claim is in {@link OpenClaims}
 *       until nothing of its token is left in the store, or what is left ends by its ttl. So close
 *       can wait for it.
 *   <li><b>A grant is never dropped</b>: it is delivered, or the claim frees it. Any code that gets
 *       a {@link io.monolock.store.Grant.Granted} must lead to one of the two.
 *   <li><b>Time</b> is {@link LockerContext#now}, in nanoseconds of the locker's timer. A deadline
 *       is compared with it at each question; tasks only make sure that the end is signalled in
 *       time.
 *   <li><b>Waiting for the store</b> always ends: by a task of the wheel, never by the store's own
 *       timeout; a call without an answer is reported to {@link LockerContext#overdue}.
 * </ul>
 */
@NullMarked
package io.monolock.engine;

import org.jspecify.annotations.NullMarked;
