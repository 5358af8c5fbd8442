// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.LockOptions;
import io.monolock.test.HeldReplies;
import io.monolock.test.RedisServer;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Requests over a socket, cancelled when the client closes it, as a web server does. */
class DisconnectTest extends LockerBehindProxy {

  private final AtomicBoolean isRunning = new AtomicBoolean();
  private final AtomicBoolean isCancelled = new AtomicBoolean();
  private WebServer web;

  DisconnectTest(RedisServer server) {
    super(server);
  }

  @AfterEach
  void closeWeb() throws IOException {
    web.close();
  }

  private Socket request(Publisher<?> answer) throws IOException {
    web = new WebServer(answer);
    return new Socket(InetAddress.getLoopbackAddress(), web.port());
  }

  private Mono<Object> untilCancelled() {
    return Mono.never()
        .doOnSubscribe(any -> isRunning.set(true))
        .doOnCancel(() -> isCancelled.set(true));
  }

  @Test
  @DisplayName("B30: a client that disconnects during the body frees the key")
  void duringTheBody() throws IOException {
    proxy.delayReplies(Duration.ofMillis(20));
    Socket browser = request(locker.withLock("key", OPTIONS, lock -> untilCancelled()));
    await().untilTrue(isRunning);
    browser.close();

    awaitFree("key", SOON);
    await().untilTrue(isCancelled);
  }

  @Test
  @DisplayName("B30: a client that disconnects during a stream frees the key")
  void duringAStream() throws IOException {
    Socket browser =
        request(
            locker.withLockMany(
                "key",
                OPTIONS,
                lock ->
                    Flux.interval(Duration.ofMillis(5))
                        .doOnNext(any -> isRunning.set(true))
                        .doOnCancel(() -> isCancelled.set(true))));
    await().untilTrue(isRunning);
    browser.close();

    awaitFree("key", SOON);
    await().untilTrue(isCancelled);
  }

  @Test
  @DisplayName("B24: a client that disconnects before the lock is granted leaves no key")
  void beforeTheGrant() throws IOException {
    HeldReplies held = proxy.holdReplies();
    Socket browser = request(locker.withLock("key", OPTIONS, lock -> untilCancelled()));
    awaitTaken("key");
    browser.close();
    await().until(web::isOver);
    held.release();

    awaitFree("key", SOON);
  }

  @Test
  @DisplayName("B30: the key is freed although the connection breaks in the same moment")
  void whileTheConnectionBreaks() throws IOException {
    Socket browser = request(locker.withLock("key", OPTIONS, lock -> untilCancelled()));
    await().untilTrue(isRunning);
    proxy.dropRequests(true);
    browser.close();
    await().untilTrue(isCancelled);
    proxy.cut();
    proxy.dropRequests(false);

    awaitFree("key", Duration.ofSeconds(2));
  }

  @Test
  @DisplayName("B31: by default the key is free at once, though the body ignores its cancellation")
  void bodyThatIgnoresItsCancellation() throws IOException {
    AtomicBoolean ended = new AtomicBoolean();
    Socket browser =
        request(locker.withLock("key", OPTIONS, lock -> stubborn(Duration.ofSeconds(1), ended)));
    await().untilTrue(isRunning);
    browser.close();

    awaitFree("key", SOON);
    assertThat(ended).isFalse();
    await().untilTrue(ended);
  }

  @Test
  @DisplayName("B31: with finishOnCancel the key is kept until the body ends")
  void bodyThatMayFinish() throws IOException {
    AtomicBoolean ended = new AtomicBoolean();
    LockOptions finishing = LockOptions.of(Duration.ofMillis(600)).finishOnCancel(true);
    Socket browser =
        request(
            locker.withLock("key", finishing, lock -> stubborn(Duration.ofMillis(1_500), ended)));
    await().untilTrue(isRunning);
    browser.close();

    await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              boolean wasOver = ended.get();
              boolean isThere = !isFree("key");
              assertThat(isThere || ended.get()).as("the key before the end of the body").isTrue();
              return wasOver;
            });
    awaitFree("key", SOON);
  }

  /** Blocks a thread and takes no notice of interruptions. */
  private Mono<Object> stubborn(Duration time, AtomicBoolean ended) {
    return Mono.fromRunnable(
            () -> {
              isRunning.set(true);
              long end = System.nanoTime() + time.toNanos();
              while (System.nanoTime() - end < 0) {
                boolean unused = Thread.interrupted();
                LockSupport.parkNanos(1_000_000);
              }
              ended.set(true);
            })
        .subscribeOn(Schedulers.boundedElastic());
  }

  /** Serves one request, and cancels its answer when the client closes the connection. */
  private static final class WebServer implements Closeable {

    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final AtomicBoolean over = new AtomicBoolean();

    WebServer(Publisher<?> answer) throws IOException {
      Thread thread = new Thread(() -> serve(answer), "monolock-web-server");
      thread.setDaemon(true);
      thread.start();
    }

    int port() {
      return listener.getLocalPort();
    }

    boolean isOver() {
      return over.get();
    }

    private void serve(Publisher<?> answer) {
      try (Socket client = listener.accept()) {
        Disposable request = Flux.from(answer).subscribe();
        while (client.getInputStream().read() >= 0) {
          // the request itself is of no interest
        }
        request.dispose();
        over.set(true);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
