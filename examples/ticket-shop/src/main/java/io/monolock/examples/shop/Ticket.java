// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

/**
 * What a buyer gets.
 *
 * @param show the show
 * @param seat the number of the seat, from 1 on
 * @param buyer the buyer's name
 */
public record Ticket(String show, long seat, String buyer) {}
