// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of the shop.
 *
 * @param seats of each show
 * @param payment how long a sale takes, in which another could come between
 */
@ConfigurationProperties("shop")
public record Shop(int seats, Duration payment) {}
