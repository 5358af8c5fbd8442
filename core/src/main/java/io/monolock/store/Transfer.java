// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

/**
 * The answer to a transfer of keys from one token to another.
 *
 * @param released true if the first token held every key and was released
 * @param grant the answer for the second token
 */
public record Transfer(boolean released, Grant grant) {}
