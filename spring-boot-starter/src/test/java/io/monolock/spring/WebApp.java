// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import io.monolock.test.RedisServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.test.web.reactive.server.WebTestClient;

/** An application with a real web server on a random port. */
public final class WebApp implements AutoCloseable {

  private final ReactiveWebServerApplicationContext context;
  private final int port;

  private WebApp(ReactiveWebServerApplicationContext context) {
    this.context = context;
    this.port = context.getWebServer().getPort();
  }

  /** Starts an application whose Redis is the given one. */
  public static WebApp start(Class<?> type, RedisServer server, String... properties) {
    return start(
        new SpringApplicationBuilder(type, EventLoops.class)
            .properties(
                "spring.data.redis.host=" + server.host(),
                "spring.data.redis.port=" + server.port()),
        properties);
  }

  /** Starts an application. */
  public static WebApp start(Class<?> type, String... properties) {
    return start(new SpringApplicationBuilder(type, EventLoops.class), properties);
  }

  private static WebApp start(SpringApplicationBuilder builder, String... properties) {
    return new WebApp(
        (ReactiveWebServerApplicationContext)
            builder
                .web(WebApplicationType.REACTIVE)
                .properties("server.port=0", "spring.main.banner-mode=off")
                .properties(properties)
                .run());
  }

  /** A bean of the application. */
  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** Where the application listens, or did. */
  public int port() {
    return port;
  }

  /** A client for whole requests. */
  public WebTestClient client() {
    return WebTestClient.bindToServer()
        .baseUrl("http://localhost:" + port)
        .responseTimeout(Duration.ofSeconds(20))
        .build();
  }

  /** Sends a request over a connection of its own, which stays open until it is closed. */
  public Socket request(String path) throws IOException {
    Socket socket = new Socket("localhost", port);
    socket.setSoTimeout(20_000);
    String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  @Override
  public void close() {
    context.close();
  }

  /** Own ones, or the end of one application would stop the servers of the others. */
  @Configuration(proxyBeanMethods = false)
  static class EventLoops {

    @Bean
    ReactorResourceFactory eventLoops() {
      ReactorResourceFactory own = new ReactorResourceFactory();
      own.setUseGlobalResources(false);
      own.setShutdownQuietPeriod(Duration.ZERO);
      return own;
    }
  }
}
