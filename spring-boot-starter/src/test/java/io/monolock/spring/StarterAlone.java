// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;

/**
 * A small application that is started with parts of the class path of the tests; see {@link
 * AbsentLibrariesTest}. It takes a lock, and prints which of the given classes are there.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
public class StarterAlone {

  static class Work {
    @Locked(keys = "'order:42'")
    Mono<String> run() {
      return Mono.just("worked under a lock");
    }
  }

  @Bean
  Work work() {
    return new Work();
  }

  /**
   * Runs the application.
   *
   * @param args the URL of a Redis server, and names of classes
   */
  public static void main(String[] args) {
    List<String> classes = List.of(args).subList(1, args.length);
    for (String name : classes) {
      System.out.println(name + " " + ClassUtils.isPresent(name, null));
    }
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(StarterAlone.class)
            .properties(
                "monolock.redis.url=" + args[0], "server.port=0", "spring.main.banner-mode=off")
            .run()) {
      System.out.println(context.getBean(Work.class).run().block(Duration.ofSeconds(60)));
    }
    System.out.println("ended well");
  }
}
