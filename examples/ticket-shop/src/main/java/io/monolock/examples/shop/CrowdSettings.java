// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of {@link Buyers}.
 *
 * @param buyers how many come; with none the shop is open until it is stopped
 * @param hurried how many of them hang up before they are served, from 0 to 1
 * @param shops addresses of the instances that they go to, in turn; with none to this one
 */
@ConfigurationProperties("crowd")
public record CrowdSettings(
    @DefaultValue("0") int buyers,
    @DefaultValue("0.2") double hurried,
    @DefaultValue List<String> shops) {}
