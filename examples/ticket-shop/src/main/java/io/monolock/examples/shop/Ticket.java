// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

/**
 * What a buyer gets.
 *
 * @param show what for
 * @param seat the number of the seat, from 1 on
 * @param buyer who
 */
public record Ticket(String show, long seat, String buyer) {}
