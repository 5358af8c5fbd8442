// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

/**
 * The answer to a hand-over from one token to another.
 *
 * @param released true if the first token held every key, which it now does no longer
 * @param grant what the second token got
 */
public record Transfer(boolean released, Grant grant) {}
