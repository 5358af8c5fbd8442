// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.web;

import java.util.ArrayList;
import java.util.List;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.view.ViewResolver;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Answers with a problem detail, in the format that the client prefers among those that the
 * application can write. A client that accepts none of them gets JSON all the same, as the status
 * matters more.
 */
final class ProblemWriter implements ServerResponse.Context {

  private static final ResolvableType TYPE = ResolvableType.forClass(ProblemDetail.class);

  private final List<HttpMessageWriter<?>> writers;
  private final List<MediaType> formats;

  ProblemWriter(List<HttpMessageWriter<?>> writers) {
    this.writers = writers;
    this.formats =
        List.of(MediaType.APPLICATION_PROBLEM_JSON, MediaType.APPLICATION_PROBLEM_XML).stream()
            .filter(format -> writers.stream().anyMatch(writer -> writer.canWrite(TYPE, format)))
            .toList();
  }

  Mono<Void> write(ServerWebExchange exchange, ProblemDetail problem, HttpHeaders headers) {
    ServerResponse.BodyBuilder response =
        ServerResponse.status(problem.getStatus()).headers(all -> all.addAll(headers));
    Mono<ServerResponse> answer =
        formats.isEmpty()
            ? response.build()
            : response.contentType(preferred(exchange)).bodyValue(problem);
    return answer.flatMap(it -> it.writeTo(exchange, this));
  }

  private MediaType preferred(ServerWebExchange exchange) {
    for (MediaType accepted : accepted(exchange)) {
      for (MediaType format : formats) {
        if (accepted.isCompatibleWith(format) || accepted.isCompatibleWith(plain(format))) {
          return format;
        }
      }
    }
    return formats.get(0);
  }

  private static List<MediaType> accepted(ServerWebExchange exchange) {
    try {
      List<MediaType> accepted = new ArrayList<>(exchange.getRequest().getHeaders().getAccept());
      MimeTypeUtils.sortBySpecificity(accepted);
      return accepted;
    } catch (InvalidMediaTypeException | InvalidMimeTypeException e) {
      return List.of();
    }
  }

  /** A client that accepts JSON or XML understands a problem in it. */
  private static MediaType plain(MediaType format) {
    return format.equals(MediaType.APPLICATION_PROBLEM_JSON)
        ? MediaType.APPLICATION_JSON
        : MediaType.APPLICATION_XML;
  }

  @Override
  public List<HttpMessageWriter<?>> messageWriters() {
    return writers;
  }

  @Override
  public List<ViewResolver> viewResolvers() {
    return List.of();
  }
}
