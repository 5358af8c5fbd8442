// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.lettuce.core.RedisClient
import io.monolock.ReactiveLocker
import io.monolock.redis.RedisLockStore
import io.monolock.test.RedisExtension
import io.monolock.test.RedisServer
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.extension.ExtendWith
import java.time.Duration
import java.util.concurrent.TimeUnit

/** Lockers on a real server, each with a client of its own, as processes have. */
@ExtendWith(RedisExtension::class)
abstract class LockerOnRedis(
  protected val server: RedisServer,
) {
  private val lockers = mutableListOf<ReactiveLocker>()
  private val clients = mutableListOf<RedisClient>()

  protected fun locker(uri: String = server.uri()): SuspendingLocker {
    val client = RedisClient.create(uri).also { clients += it }
    return ReactiveLocker.create(RedisLockStore.create(client)).also { lockers += it }.suspending()
  }

  @AfterEach
  fun closeAll() {
    lockers.forEach { it.close().block(Duration.ofSeconds(20)) }
    clients.forEach { it.shutdown(0, 2, TimeUnit.SECONDS) }
  }

  protected fun exists(key: String): Boolean = server.commandAsLong("EXISTS", key) == 1L

  protected fun keys(): List<String> =
    (server.command("KEYS", "*") as List<*>).map { it.toString() }
}
