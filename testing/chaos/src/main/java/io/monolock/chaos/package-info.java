// SPDX-License-Identifier: Apache-2.0

/**
 * A program that tries to break Monolock, and says whether it could.
 *
 * <p>Start with {@link io.monolock.chaos.Chaos}, the command line. {@code Experiment} is one run:
 * client JVMs ({@link io.monolock.chaos.ChaosClient}) full of contending {@code ChaosWorker}s, a {@code
 * Nemesis} that makes servers, links and clients fail, and a {@code Checker} that reads what the
 * workers have written down.
 */
@NullMarked
package io.monolock.chaos;

import org.jspecify.annotations.NullMarked;
