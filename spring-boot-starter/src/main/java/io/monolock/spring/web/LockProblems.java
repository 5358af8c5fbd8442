// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.web;

import io.monolock.LockException;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;

/**
 * The answers to HTTP clients for errors of locks. The messages of the errors are for logs: they
 * have keys, and messages of the server or the driver.
 *
 * @param notAcquired the status when another holder has the lock
 * @param showKeys whether the answer names the keys
 */
record LockProblems(HttpStatusCode notAcquired, boolean showKeys) {

  ProblemDetail of(LockException error) {
    ProblemDetail problem = ProblemDetail.forStatusAndDetail(status(error), detail(error));
    if (showKeys) {
      problem.setProperty("keys", error.keys());
    }
    return problem;
  }

  private HttpStatusCode status(LockException error) {
    if (error instanceof LockNotAcquiredException) {
      return notAcquired;
    }
    if (error instanceof LockLostException lost && !isTroubleOfTheStore(lost)) {
      return HttpStatus.CONFLICT;
    }
    if (error instanceof LockLostException
        || error instanceof LockerClosedException
        || isTransient(error)) {
      return HttpStatus.SERVICE_UNAVAILABLE;
    }
    return HttpStatus.INTERNAL_SERVER_ERROR;
  }

  /** Then no other holder came: the server cannot do its work at the moment. */
  private static boolean isTroubleOfTheStore(LockLostException lost) {
    return lost.reason() == Reason.UNREACHABLE || lost.reason() == Reason.REFUSED;
  }

  private static boolean isTransient(LockException error) {
    return error instanceof LockStoreException trouble && trouble.isTransient();
  }

  private static String detail(LockException error) {
    if (error instanceof LockNotAcquiredException) {
      return "Another request is working on this. Try again later.";
    }
    if (error instanceof LockLostException lost) {
      return isTroubleOfTheStore(lost)
          ? "The work was stopped, as its lock could not be kept. Try again later."
          : "The work was stopped, as another request may be working on this now.";
    }
    if (error instanceof LockerClosedException) {
      return "This server is stopping. Try again.";
    }
    return isTransient(error)
        ? "It cannot be told at the moment whether another request is working on this. Try again"
            + " later."
        : "It cannot be told whether another request is working on this.";
  }

  /** Only when it is known; in whole seconds, so that the lock is really free then. */
  HttpHeaders headers(LockException error) {
    HttpHeaders headers = new HttpHeaders();
    if (error instanceof LockNotAcquiredException busy) {
      busy.retryAfter()
          .ifPresent(left -> headers.set(HttpHeaders.RETRY_AFTER, String.valueOf(seconds(left))));
    }
    return headers;
  }

  private static long seconds(Duration left) {
    return Math.max(1, left.plusNanos(999_999_999).toSeconds());
  }
}
