// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.web;

import io.monolock.LockException;
import java.net.URI;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.http.ProblemDetail;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/** Answers requests that ended with the error of a lock; all other errors are left to others. */
final class LockProblemHandler implements WebExceptionHandler, Ordered {

  /** Before the handler of Spring Boot, which makes a 500 of what it does not know. */
  private static final int ORDER = -2;

  private static final Logger LOG = LoggerFactory.getLogger(LockProblemHandler.class);

  private final LockProblems problems;
  private final ProblemWriter writer;

  LockProblemHandler(LockProblems problems, ProblemWriter writer) {
    this.problems = problems;
    this.writer = writer;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable thrown) {
    if (!(Exceptions.unwrap(thrown) instanceof LockException error)
        || exchange.getResponse().isCommitted()) {
      return Mono.error(thrown);
    }
    ProblemDetail problem = problems.of(error);
    problem.setInstance(URI.create(exchange.getRequest().getPath().value()));
    log(exchange, problem, error);
    return writer.write(exchange, problem, problems.headers(error));
  }

  private static void log(ServerWebExchange exchange, ProblemDetail problem, LockException error) {
    String request = exchange.getLogPrefix() + exchange.getRequest().getMethod();
    if (problem.getStatus() == 500) {
      LOG.error("{}: 500, as a lock failed", request, error);
    } else {
      LOG.debug("{}: {}, {}", request, problem.getStatus(), error.getMessage());
    }
  }

  @Override
  public int getOrder() {
    return ORDER;
  }
}
