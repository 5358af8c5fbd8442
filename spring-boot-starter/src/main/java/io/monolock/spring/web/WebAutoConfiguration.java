// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.web.reactive.DispatcherHandler;

/**
 * Makes problem details (RFC 9457) of the errors of locks in WebFlux, for annotated and functional
 * endpoints alike. An {@code @ExceptionHandler} of the application comes first.
 */
@AutoConfiguration
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnBooleanProperty(name = "monolock.web.enabled", matchIfMissing = true)
@EnableConfigurationProperties(WebProperties.class)
public final class WebAutoConfiguration {

  /** Created by Spring. */
  WebAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  LockProblemHandler monolockProblemHandler(
      WebProperties properties, ServerCodecConfigurer codecs) {
    return new LockProblemHandler(
        new LockProblems(properties.notAcquired(), properties.showKeys()),
        new ProblemWriter(codecs.getWriters()));
  }
}
