// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** There is no seat left: 410. */
public final class SoldOut extends ResponseStatusException {

  SoldOut(String show) {
    super(HttpStatus.GONE, "no seat is left for " + show);
  }
}
