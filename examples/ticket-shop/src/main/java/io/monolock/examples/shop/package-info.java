// SPDX-License-Identifier: Apache-2.0
/**
 * A ticket shop on Spring WebFlux. {@link io.monolock.examples.shop.TicketShop} starts it; the box
 * offices sell the same seats in three ways, each under the lock of the show: {@link
 * io.monolock.examples.shop.AnnotatedBoxOffice}, {@link
 * io.monolock.examples.shop.FunctionalBoxOffice} and, in Kotlin, {@code SuspendBoxOffice}. {@link
 * io.monolock.examples.shop.Buyers} buys at all of them.
 */
@NullMarked
package io.monolock.examples.shop;

import org.jspecify.annotations.NullMarked;
