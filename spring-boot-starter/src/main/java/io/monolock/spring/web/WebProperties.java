// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.web;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.http.HttpStatusCode;

/**
 * What WebFlux answers to HTTP clients when a lock cannot be had.
 *
 * @param enabled Whether the errors of locks become problem details (RFC 9457).
 * @param notAcquiredStatus HTTP status when another holder has the lock.
 * @param showKeys Whether the problem details name the keys of the lock.
 */
@ConfigurationProperties("monolock.web")
record WebProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("423") int notAcquiredStatus,
    @DefaultValue("false") boolean showKeys) {

  HttpStatusCode notAcquired() {
    if (notAcquiredStatus < 400 || notAcquiredStatus > 599) {
      throw new IllegalArgumentException(
          "monolock.web.not-acquired-status must be between 400 and 599, was " + notAcquiredStatus);
    }
    return HttpStatusCode.valueOf(notAcquiredStatus);
  }
}
