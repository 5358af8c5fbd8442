// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.store.StoreProblem.Reason.MISUSE;
import static io.monolock.store.StoreProblem.Reason.NOT_REPLICATED;
import static io.monolock.store.StoreProblem.Reason.PERMISSION;
import static io.monolock.store.StoreProblem.Reason.SERVER_STATE;
import static io.monolock.store.StoreProblem.Reason.UNAVAILABLE;
import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** B75: the texts of servers of all versions, plain and from inside a script. */
class ErrorMappingTest {

  private static final boolean TRANSIENT = true;
  private static final boolean FINAL = false;

  /** What Redis 6 puts before the error of a command that a script called. */
  private static final String IN_6 =
      "ERR Error running script (call to f_6b1bf486c81ceb7edf3c093f4c48582e38c0e791):"
          + " @user_script:9: @user_script: 9: -";

  /** What Redis 7, 8 and Valkey put behind it. */
  private static final String IN_7 =
      " script: 6b1bf486c81ceb7edf3c093f4c48582e38c0e791, on @user_script:9.";

  static Stream<Arguments> answers() {
    return Stream.of(
            answer(
                "READONLY You can't write against a read only replica.",
                SERVER_STATE,
                TRANSIENT,
                true),
            answer(
                "LOADING Redis is loading the dataset in memory", SERVER_STATE, TRANSIENT, false),
            answer(
                "LOADING Valkey is loading the dataset in memory", SERVER_STATE, TRANSIENT, false),
            answer(
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN"
                    + " NOSAVE.",
                SERVER_STATE,
                TRANSIENT,
                false),
            answer(
                "OOM command not allowed when used memory > 'maxmemory'.",
                SERVER_STATE,
                TRANSIENT,
                true),
            answer(
                "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist"
                    + " to disk. Commands that may modify the data set are disabled, because this"
                    + " instance is configured to report errors during writes if RDB snapshotting fails"
                    + " (stop-writes-on-bgsave-error option). Please check the Redis logs for details"
                    + " about the RDB error.",
                SERVER_STATE,
                TRANSIENT,
                true),
            answer(
                "MISCONF Errors writing to the AOF file: No space left on device",
                SERVER_STATE,
                TRANSIENT,
                true),
            answer("CLUSTERDOWN The cluster is down", SERVER_STATE, TRANSIENT, true),
            answer("CLUSTERDOWN Hash slot not served", SERVER_STATE, TRANSIENT, false),
            answer(
                "TRYAGAIN Multiple keys request during rehashing of slot",
                SERVER_STATE,
                TRANSIENT,
                false),
            answer(
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                SERVER_STATE,
                TRANSIENT,
                true),
            answer(
                "NOREPLICAS Not enough good replicas to write.", NOT_REPLICATED, TRANSIENT, true),
            answer(
                "NOPERM this user has no permissions to run the 'evalsha' command or its subcommand",
                PERMISSION,
                FINAL,
                false),
            answer(
                "NOPERM User app has no permissions to run the 'evalsha' command",
                PERMISSION,
                FINAL,
                false),
            answer(
                "NOPERM this user has no permissions to access one of the keys used as arguments",
                PERMISSION,
                FINAL,
                false),
            answer("NOPERM No permissions to access a key", PERMISSION, FINAL, true),
            answer("NOAUTH Authentication required.", PERMISSION, FINAL, false),
            answer(
                "WRONGPASS invalid username-password pair or user is disabled.",
                PERMISSION,
                FINAL,
                false),
            answer("ERR invalid password", PERMISSION, FINAL, false),
            answer(
                "ERR AUTH <password> called without any password configured for the default user. Are"
                    + " you sure your configuration is correct?",
                PERMISSION,
                FINAL,
                false),
            answer(
                "DENIED Redis is running in protected mode because protected mode is enabled",
                PERMISSION,
                FINAL,
                false),
            answer(
                "ERR The user executing the script can't run this command or subcommand",
                PERMISSION,
                FINAL,
                true),
            answer(
                "ERR Error running script (call to f_6b1b): @user_script:1: The user executing the"
                    + " script can't run this command or subcommand",
                PERMISSION,
                FINAL,
                false),
            answer(
                "ERR The user executing the script can't access at least one of the keys mentioned in"
                    + " the command arguments",
                PERMISSION,
                FINAL,
                true),
            answer(
                "ERR ACL failure in script: User app has no permissions to run the 'set' command",
                PERMISSION,
                FINAL,
                true),
            answer(
                "ERR ACL failure in script: No permissions to access a key",
                PERMISSION,
                FINAL,
                true),
            answer(
                "ERR unknown command 'EVALSHA', with args beginning with: 'secret' '1' 'BUSY '",
                PERMISSION,
                FINAL,
                false),
            answer(
                "ERR unknown command `EVAL`, with args beginning with: `secret`, `1`, ",
                PERMISSION,
                FINAL,
                false),
            answer("ERR Unknown Redis command called from script", PERMISSION, FINAL, true),
            answer("ERR Unknown Valkey command called from script", PERMISSION, FINAL, true),
            answer(
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                MISUSE,
                FINAL,
                true),
            answer("CROSSSLOT Keys in request don't hash to the same slot", MISUSE, FINAL, false),
            answer(
                "ERR Script attempted to access keys that do not hash to the same slot",
                MISUSE,
                FINAL,
                true),
            answer(
                "ERR Script attempted to access a non local key in a cluster node",
                MISUSE,
                FINAL,
                true),
            answer("MOVED 3999 127.0.0.1:6381", MISUSE, FINAL, false),
            answer("FENCE no fencing numbers left", MISUSE, FINAL, false),
            answer(
                "FENCE another value where fencing numbers are kept: a BUSY -BUSY key:fence",
                MISUSE,
                FINAL,
                false),
            answer(
                "ERR ttl must be a whole number of milliseconds above 0",
                SERVER_STATE,
                FINAL,
                false),
            answer("BUSYKEY Target key name already exists.", SERVER_STATE, FINAL, true),
            answer("BUSYGROUP Consumer Group name already exists", SERVER_STATE, FINAL, false),
            answer("ERR syntax error", SERVER_STATE, FINAL, true))
        .flatMap(answers -> answers);
  }

  /** The answer as it is and, if a script can meet it, as it comes out of one. */
  private static Stream<Arguments> answer(
      String text, Reason reason, boolean isTransient, boolean inScript) {
    Arguments plain = arguments(text, reason, isTransient);
    return inScript
        ? Stream.of(
            plain,
            arguments(IN_6 + text, reason, isTransient),
            arguments(text + IN_7, reason, isTransient))
        : Stream.of(plain);
  }

  @ParameterizedTest
  @MethodSource("answers")
  @DisplayName("B75, B83, B85, B88: an error answer has a reason, in the words of every server")
  void anErrorAnswerHasAReason(String text, Reason reason, boolean isTransient) {
    RedisCommandExecutionException answer = new RedisCommandExecutionException(text);
    StoreFailure failure = ErrorMapping.ofCall(answer);
    assertThat(failure.reason()).isEqualTo(reason);
    assertThat(failure.isTransient()).isEqualTo(isTransient);
    assertThat(failure.getCause()).isInstanceOf(RedisCommandExecutionException.class);
    assertThat(text).startsWith(failure.getCause().getMessage());
    assertThat(failure.getMessage() + failure.getCause()).doesNotContain("secret");
  }

  static Stream<Throwable> lostCalls() {
    return Stream.of(
        new RedisException("Connection closed"),
        new RedisException("Connection disconnected"),
        new RedisException("Connection is closed"),
        new RedisException("Currently not connected. Commands are rejected."),
        new RedisException(new ClosedChannelException()),
        new RedisException(new IOException("Connection reset by peer")),
        new RedisCommandTimeoutException("Command timed out after 1 minute(s)"),
        new CancellationException(),
        new ClosedChannelException(),
        new IOException("Broken pipe"));
  }

  /** B109, B110 */
  @ParameterizedTest
  @MethodSource("lostCalls")
  void aCallWithoutAnAnswerHasAnUnknownOutcome(Throwable error) {
    StoreFailure failure = ErrorMapping.ofCall(error);
    assertThat(failure.reason()).isEqualTo(UNKNOWN_OUTCOME);
    assertThat(failure.isTransient()).isTrue();
    assertThat(failure).hasCause(error);
  }

  @Test
  @DisplayName("B87: a script that answers nothing is an error, never a yes or a no")
  void anEmptyAnswerIsAnError() {
    StoreFailure failure = ErrorMapping.ofCall(new NoSuchElementException("Source was empty"));
    assertThat(failure.reason()).isEqualTo(SERVER_STATE);
    assertThat(failure.isTransient()).isFalse();
  }

  @Test
  void aRefusedConnectionIsUnavailable() {
    StoreFailure failure =
        ErrorMapping.ofConnecting(
            new RedisConnectionException(
                "Unable to connect to redis.example:6379",
                new CompletionException(new ConnectException("Connection refused"))));
    assertThat(failure.reason()).isEqualTo(UNAVAILABLE);
    assertThat(failure.isTransient()).isTrue();
    assertThat(failure)
        .hasMessageContaining("redis.example:6379")
        .hasMessageContaining("Connection refused");
  }

  @Test
  void aCancelledConnectIsUnavailable() {
    StoreFailure failure = ErrorMapping.ofConnecting(new CancellationException());
    assertThat(failure.reason()).isEqualTo(UNAVAILABLE);
    assertThat(failure.isTransient()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "WRONGPASS invalid username-password pair or user is disabled.",
        "NOAUTH HELLO must be called with the client already authenticated",
        "ERR invalid password"
      })
  void aRefusedUserIsAMatterOfPermissionAlreadyWhenConnecting(String text) {
    StoreFailure failure =
        ErrorMapping.ofConnecting(
            new RedisConnectionException(
                "Unable to connect", new RedisCommandExecutionException(text)));
    assertThat(failure.reason()).isEqualTo(PERMISSION);
    assertThat(failure.isTransient()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LOADING Redis is loading the dataset in memory",
        "ERR max number of clients reached"
      })
  void aServerThatIsNotReadyIsUnavailable(String text) {
    StoreFailure failure =
        ErrorMapping.ofConnecting(
            new RedisConnectionException(
                "Unable to connect", new RedisCommandExecutionException(text)));
    assertThat(failure.reason()).isEqualTo(UNAVAILABLE);
    assertThat(failure.isTransient()).isTrue();
  }

  @Test
  void aClientThatWasShutDownIsUnavailableForGood() {
    assertThat(ErrorMapping.ofConnecting(new RejectedExecutionException()).isTransient()).isFalse();
    assertThat(ErrorMapping.ofConnecting(new IllegalStateException()).isTransient()).isFalse();
  }

  @Test
  void aFailureStaysTheSame() {
    StoreFailure closed = ErrorMapping.closed();
    assertThat(ErrorMapping.ofCall(closed)).isSameAs(closed);
    assertThat(ErrorMapping.ofConnecting(closed)).isSameAs(closed);
  }
}
