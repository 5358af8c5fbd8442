// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.ReactiveLocker;
import io.monolock.store.LockStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** One client JVM: a locker and the workers that use it, until a line comes or the input ends. */
public final class ChaosClient {

  private static final BufferedReader INPUT =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private static final Duration TIMEOUT = Duration.ofSeconds(40);

  private final CountDownLatch over = new CountDownLatch(1);
  private final Journal journal = Journal.open();
  private final Scheduler timer = Schedulers.newSingle("chaos-timer", true);
  private final HandleWatcher watcher = HandleWatcher.start(journal, timer);

  private ChaosClient() {}

  /**
   * Runs the workers.
   *
   * @param args the topology, the address of its servers, the number of this client, the seed, how
   *     many workers, how the library is broken, and whether members of a quorum that forgot their
   *     locks vote at once
   * @throws IOException if the input cannot be read
   * @throws InterruptedException never
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    ChaosTopology topology = ChaosTopology.valueOf(args[0]);
    new ChaosClient()
        .run(
            topology,
            ClientStore.of(topology, args[1], Boolean.parseBoolean(args[6])),
            Integer.parseInt(args[2]),
            Long.parseLong(args[3]),
            Integer.parseInt(args[4]),
            Breakage.valueOf(args[5]));
    System.exit(0);
  }

  private void run(
      ChaosTopology topology,
      ClientStore client,
      int number,
      long seed,
      int workers,
      Breakage breakage)
      throws IOException, InterruptedException {
    LockStore store = client.store();
    ReactiveLocker locker =
        ReactiveLocker.builder(breakage == Breakage.TOKEN ? ReleaseWithoutToken.of(store) : store)
            .timer(timer)
            .commandTimeout(Duration.ofMillis(300 + 400L * number))
            .build();
    List<Thread> threads =
        IntStream.rangeClosed(1, workers)
            .mapToObj(
                worker ->
                    new Thread(
                        new ChaosWorker(
                            number + "-" + worker,
                            new Random(seed * 1_000_003 + number * 1_009L + worker),
                            locker,
                            topology,
                            breakage,
                            journal,
                            watcher,
                            () -> over.getCount() == 0),
                        "chaos-worker-" + worker))
            .toList();
    threads.forEach(Thread::start);
    awaitLine();
    // while the workers still have calls under way
    over.countDown();
    RecordingSubscriber<Void> closer =
        new RecordingSubscriber<>(journal, number + "-close", "close", false);
    locker.close().subscribe(closer);
    var unused = closer.await(TIMEOUT);
    for (Thread thread : threads) {
      thread.join(TIMEOUT.toMillis());
    }
    client.shutDown();
    journal.end();
    awaitLine();
  }

  private static void awaitLine() throws IOException {
    var unused = INPUT.readLine();
  }
}
