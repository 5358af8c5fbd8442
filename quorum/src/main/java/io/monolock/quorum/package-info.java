// SPDX-License-Identifier: Apache-2.0
/**
 * Locks on several independent stores, of which a minority may be lost.
 *
 * <p>{@link io.monolock.quorum.QuorumLockStore} is the only public type: a store made of an odd
 * number of others, its members. To a locker it is a store like any other. The idea of the package:
 * <em>any two majorities have a member in common</em>, which knows the lock that the other majority
 * granted. All the rest keeps that true although members are silent, fail or forget, and cleans up
 * what an attempt without a majority has left.
 *
 * <p>In which order to read it:
 *
 * <ol>
 *   <li>{@code MemberCall}, one call to one member: there is an outcome within a time limit, but a
 *       late answer is still received; {@code Broadcast}, one such call to each member, which ends
 *       as soon as a rule knows the result;
 *   <li>{@code MemberLease}, what one token has at one member, which sends its calls there one
 *       after the other until nothing is left, with {@code ReleaseRetries} for members that fail;
 *       {@code QuorumLease} has one for each member;
 *   <li>{@code QuorumAcquire}, an attempt: count the grants, undo them without a majority, try
 *       again if several attempts split the members among them;
 *   <li>{@code MemberEligibility}, which grants are votes: the members that may have forgotten
 *       locks are what makes a quorum hard;
 *   <li>{@code FencingNumbers}, one number out of several;
 *   <li>{@code QuorumExtend}, which also restores the lock at members that lost it, and {@code
 *       QuorumReads};
 *   <li>{@code QuorumWakeUps}, which merges the wake-ups of the members.
 * </ol>
 *
 * <p>Time limits run on one timer, and no call to a member is cancelled. No monitor is held while a
 * store or a subscriber is called.
 */
@NullMarked
package io.monolock.quorum;

import org.jspecify.annotations.NullMarked;
