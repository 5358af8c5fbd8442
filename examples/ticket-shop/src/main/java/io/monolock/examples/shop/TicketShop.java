// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * A shop that sells seats over HTTP, with a Redis of its own.
 *
 * <p>With {@code --crowd.buyers=200} it sends so many buyers to each of its box offices, prints how
 * they fared, and ends. {@code --server.port} chooses the port, and {@code --spring.data.redis.url}
 * another Redis: that of an instance that runs already, for example.
 */
@SpringBootApplication
@EnableConfigurationProperties({Shop.class, CrowdSettings.class})
public class TicketShop {

  private static final Duration LONGEST_RUSH = Duration.ofMinutes(5);

  /**
   * Opens the shop.
   *
   * @param args any property of the application, such as {@code --crowd.buyers=500}
   */
  public static void main(String[] args) {
    ConfigurableApplicationContext shop = SpringApplication.run(TicketShop.class, args);
    CrowdSettings settings = shop.getBean(CrowdSettings.class);
    if (settings.buyers() > 0) {
      boolean soldTwice = rush(address(shop), settings);
      SpringApplication.exit(shop);
      System.exit(soldTwice ? 1 : 0);
    }
    System.out.print(welcome(shop));
  }

  private static boolean rush(String address, CrowdSettings settings) {
    List<WebClient> shops =
        (settings.shops().isEmpty() ? List.of(address) : settings.shops())
            .stream().map(WebClient::create).toList();
    Buyers buyers = new Buyers(shops, settings.buyers(), settings.hurried());
    Rush rush = new Rush(shops.get(0), buyers, System.out::println);
    return Objects.requireNonNull(rush.run().block(LONGEST_RUSH));
  }

  private static String address(ConfigurableApplicationContext shop) {
    return "http://localhost:" + shop.getEnvironment().getProperty("local.server.port");
  }

  private static String welcome(ConfigurableApplicationContext shop) {
    Standalone redis =
        Objects.requireNonNull(shop.getBean(DataRedisConnectionDetails.class).getStandalone());
    return """
        The shop is open at %1$s

          curl -X POST %1$s/annotated/hamlet/ann     also /functional, /suspend, and /unlocked
          curl %1$s/sales/hamlet
          curl %1$s/actuator/locks

        Another instance beside it:   --server.port=0 --spring.data.redis.url=redis://%2$s:%3$d
        """
        .formatted(address(shop), redis.getHost(), redis.getPort());
  }
}
