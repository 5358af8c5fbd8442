// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * The grants over one connection that wait until replicas have them.
 *
 * <p>{@code WAIT} covers what was run over its connection before, and blocks the connection
 * meanwhile. So one stands for many grants: as soon as one waits, further calls are held back; when
 * those under way are answered, {@code WAIT} is sent; and when that is answered, the calls that
 * were held back are sent.
 */
final class Confirmations {

  private record Batch(Replicas replicas, CompletableFuture<Mono<Void>> outcome) {}

  private final PipelinedConnection connection;

  /** The grants for which {@code WAIT} is to be sent; written under this. */
  private volatile @Nullable Batch next;

  /** The calls that may be sent afterwards; written under this. */
  private volatile @Nullable Awaited<PipelinedConnection> heldBack;

  private boolean isAsked; // guarded by this

  Confirmations(PipelinedConnection connection) {
    this.connection = connection;
    connection.whenEnded(this::askWhenIdle);
  }

  /** Whether calls are held back. */
  boolean holdBack() {
    Awaited<PipelinedConnection> heldBack = this.heldBack;
    return heldBack != null && heldBack.settled() == null;
  }

  /** Waits until calls may be sent. */
  void then(long since, Awaited.Listener<PipelinedConnection> call) {
    Awaited<PipelinedConnection> heldBack = this.heldBack;
    if (heldBack == null) {
      call.answered(connection, null);
    } else {
      heldBack.then(since, call);
    }
  }

  /** Fails the calls that began before and are still held back. */
  void expire(long before) {
    Awaited<PipelinedConnection> heldBack = this.heldBack;
    if (heldBack != null) {
      heldBack.expire(before, ErrorMapping.notReadyYet());
    }
  }

  /** Completes when replicas have what was granted to a call that was just answered, or fails. */
  Mono<Void> of(Replicas replicas) {
    Batch batch;
    synchronized (this) {
      batch = next == null ? new Batch(replicas, new CompletableFuture<>()) : next;
      next = batch;
      if (heldBack == null || heldBack.isDone()) {
        heldBack = new Awaited<>();
      }
    }
    askWhenIdle();
    return Mono.fromFuture(batch.outcome, true).flatMap(Function.identity());
  }

  /** Called when all calls are answered, too. */
  void askWhenIdle() {
    if (next != null && isIdle()) {
      // behind all answers that came together with the last one
      connection.inLoop(this::ask);
    }
  }

  private boolean isIdle() {
    return connection.isIdle() || !connection.isOpen();
  }

  private void ask() {
    Batch batch;
    synchronized (this) {
      batch = next;
      if (batch == null || isAsked || !isIdle()) {
        return;
      }
      next = null;
      isAsked = true;
    }
    Disposable unused =
        batch
            .replicas
            .reached(connection)
            .subscribe(
                number -> answered(batch, batch.replicas.outcome(number)),
                e -> {
                  // it may have become a replica
                  connection.retire();
                  answered(batch, Replicas.unknown(e));
                });
  }

  private void answered(Batch batch, Mono<Void> outcome) {
    Awaited<PipelinedConnection> sent;
    synchronized (this) {
      isAsked = false;
      sent = next == null ? heldBack : null;
    }
    if (sent != null && connection.isOpen()) {
      sent.complete(connection);
    } else if (sent != null) {
      sent.fail(new RedisException("Connection closed"));
    }
    batch.outcome.complete(outcome);
    askWhenIdle();
  }
}
