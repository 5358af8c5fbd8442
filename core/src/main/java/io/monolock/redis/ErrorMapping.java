// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Maps error answers of the server and exceptions of Lettuce to {@link StoreFailure}.
 *
 * <p>The error codes are searched in the whole text: for an error inside a script, Redis 6 puts
 * words before the code and Redis 7 behind it.
 */
final class ErrorMapping {

  private static final String ANOTHER_SLOT =
      code("CROSSSLOT")
          + "|"
          + containing("do not hash to the same slot", "access a non local key");
  private static final Pattern OTHER_SLOT = Pattern.compile("CROSSSLOT|" + ANOTHER_SLOT);

  /** What an error answer means: the first row that matches counts. */
  private static final List<Row> ANSWERS =
      List.of(
          row(
              starting("FENCE"),
              Reason.MISUSE,
              false,
              "A fencing number can neither be read nor issued; look at the key with the suffix "
                  + RedisNode.FENCE),
          row(
              "(?i:unknown (?:\\w+ )?command)|This \\w+ command is not allowed from script",
              Reason.PERMISSION,
              false,
              "Redis lacks a command; it must be version 6.2 or newer and must not rename or disable"
                  + " EVAL, EVALSHA, SET, SETRANGE, GETEX, PTTL, PEXPIRE, DEL and TIME"),
          row(
              code("NOPERM", "NOAUTH", "WRONGPASS", "DENIED")
                  + "|"
                  + containing(
                      "The user executing the script can't",
                      "ACL failure in script",
                      "invalid password",
                      "invalid username-password",
                      "AUTH <password> called without any password",
                      "no password is set"),
              Reason.PERMISSION,
              false,
              "Redis refuses the user; check its password, its commands and its keys"),
          row(
              code("READONLY", "UNBLOCKED") + "|" + containing("cannot be used with replica"),
              Reason.SERVER_STATE,
              true,
              "Redis is a replica, which takes no writes; connect to the primary"),
          row(code("LOADING"), Reason.SERVER_STATE, true, "Redis is still loading its data"),
          row(code("BUSY"), Reason.SERVER_STATE, true, "Redis is busy with a long script"),
          row(
              code("OOM"),
              Reason.SERVER_STATE,
              true,
              "Redis has used up its maxmemory; give it more, or let it evict other keys"),
          row(
              code("MISCONF"),
              Reason.SERVER_STATE,
              true,
              "Redis takes no writes as it cannot save its data; look at its log and its disk"),
          row(
              code("NOREPLICAS"),
              Reason.NOT_REPLICATED,
              true,
              "Redis has fewer replicas than its min-replicas-to-write demands"),
          row(
              code("TRYAGAIN"),
              Reason.SERVER_STATE,
              true,
              "The hash slot of the keys is on its way to another server, and some of them are there"
                  + " already, some are not; they can be locked together again when all are"),
          row(
              code("CLUSTERDOWN", "MASTERDOWN"),
              Reason.SERVER_STATE,
              true,
              "Redis is being failed over or resharded"),
          row(
              code("WRONGTYPE"),
              Reason.MISUSE,
              false,
              "A key holds a list, a hash or the like; a lock needs a key of its own"),
          row(
              code("NOLOCK"),
              Reason.MISUSE,
              false,
              "The key holds no lock, but data of an application"),
          row(
              ANOTHER_SLOT,
              Reason.MISUSE,
              false,
              "In a cluster, all keys of a lock must have the same slot; give them one {hash tag}"),
          row(
              code("MOVED", "ASK"),
              Reason.MISUSE,
              false,
              "Redis is a cluster; it needs the cluster client of Lettuce"));

  private static final Pattern OF_A_REPLICA =
      Pattern.compile(
          code("READONLY", "MASTERDOWN", "UNBLOCKED")
              + "|"
              + containing("cannot be used with replica"));

  private static final Pattern ARGUMENTS = Pattern.compile(", with args beginning with:.*");

  /**
   * Of the reasons why a TLS handshake fails, those that are about certificates. A server that
   * misses that of the client may say only that the handshake failed.
   */
  private static final Pattern REFUSED_CERTIFICATE =
      Pattern.compile(
          "(?i)(?:SSL\\w*Exception|alert).*?(?:certificate|unknown_ca|access_denied"
              + "|handshake_failure)|PKIX path");

  private record Row(Pattern text, Reason reason, boolean isTransient, String meaning) {}

  private ErrorMapping() {}

  private static Row row(String text, Reason reason, boolean isTransient, String meaning) {
    return new Row(Pattern.compile(text), reason, isTransient, meaning);
  }

  private static String starting(String prefix) {
    return "^" + prefix + "\\b";
  }

  private static String containing(String... texts) {
    return String.join("|", List.of(texts).stream().map(Pattern::quote).toList());
  }

  private static String code(String... codes) {
    return "(?:^|-|: |ERR )(?:" + String.join("|", codes) + ")\\b";
  }

  /** The failure of a call that had a connection. */
  static StoreFailure ofCall(Throwable thrown) {
    Throwable error = withoutTokens(unwrapped(thrown));
    if (error instanceof StoreFailure failure) {
      return failure;
    }
    RedisCommandExecutionException answer = answerIn(error);
    if (answer != null) {
      return ofAnswer(answer);
    }
    if (error instanceof NoSuchElementException) {
      return new StoreFailure(
          Reason.SERVER_STATE,
          false,
          "Redis answered nothing to a script that always answers",
          error);
    }
    if (isIn(error, "size exceeded")) {
      return new StoreFailure(
          Reason.UNAVAILABLE,
          true,
          "Lettuce's request queue is full, so nothing was sent; enlarge requestQueueSize ("
              + error.getMessage()
              + ")",
          error);
    }
    return new StoreFailure(
        Reason.UNKNOWN_OUTCOME,
        true,
        "The connection to Redis was lost before the answer came, so the call may have taken effect"
            + " or not ("
            + error
            + ")",
        error);
  }

  /**
   * The failure of a call of a script.
   *
   * @param keys the keys that it was called with, among them those that the user did not name
   * @param args its arguments, which a server may repeat in its answer; tokens are not shown
   */
  static StoreFailure ofScript(Throwable thrown, String[] keys, String[] args) {
    StoreFailure failure = ofCall(withoutTokens(thrown, args));
    return failure.reason() == Reason.MISUSE && OTHER_SLOT.matcher(failure.getMessage()).find()
        ? new StoreFailure(
            failure.reason(),
            failure.isTransient(),
            failure.getMessage() + ", which were " + LockKeys.shown(List.of(keys)),
            failure.getCause())
        : failure;
  }

  private static Throwable withoutTokens(Throwable thrown, String... args) {
    if (!(thrown instanceof RedisCommandExecutionException) || thrown.getMessage() == null) {
      return thrown;
    }
    String text = ARGUMENTS.matcher(thrown.getMessage()).replaceFirst("");
    for (String arg : args) {
      if (arg.length() == LockStore.TOKEN_LENGTH) {
        text = text.replace(arg, "...");
      }
    }
    if (text.equals(thrown.getMessage())) {
      return thrown;
    }
    RedisCommandExecutionException without = new RedisCommandExecutionException(text);
    without.setStackTrace(thrown.getStackTrace());
    return without;
  }

  /** Whether a server says that another one has the keys, which it may not name. */
  static boolean isRedirection(Throwable error) {
    return error instanceof RedisCommandExecutionException answer
        && String.valueOf(answer.getMessage()).matches("(MOVED|ASK) .*");
  }

  /** Whether it is the answer of a server that is a replica, or is just becoming one. */
  static boolean isOfReplica(Throwable error) {
    return error instanceof RedisCommandExecutionException answer
        && OF_A_REPLICA.matcher(String.valueOf(answer.getMessage())).find();
  }

  /** The failure of a call for which no connection could be opened. */
  static StoreFailure ofConnecting(Throwable thrown) {
    Throwable error = unwrapped(thrown);
    if (error instanceof StoreFailure failure) {
      return failure;
    }
    RedisCommandExecutionException answer = answerIn(error);
    if (answer != null || isIn(error, "Cannot retrieve cluster partitions")) {
      // the exception of Lettuce's cluster client has the answers of the servers only in its
      // message
      StoreFailure failure = ofAnswer(answer == null ? error : answer);
      if (failure.reason() == Reason.PERMISSION) {
        return isIn(error, Credentials.HINT) ? withHint(failure) : failure;
      }
    }
    Throwable refusal = refusedCertificate(error);
    if (refusal != null) {
      return new StoreFailure(
          Reason.PERMISSION,
          false,
          "Redis and its client do not accept each other's TLS certificates ("
              + refusal.getMessage()
              + ", "
              + root(refusal)
              + ")",
          error);
    }
    if (isIn(error, "RedisURI is not available")) {
      return new StoreFailure(
          Reason.MISUSE,
          false,
          "The RedisClient was created without a RedisURI; name the server with"
              + " RedisLockStore.create(client, uri)",
          error);
    }
    if (error instanceof RejectedExecutionException
        || (error instanceof IllegalStateException && !(error instanceof CancellationException))) {
      return new StoreFailure(
          Reason.UNAVAILABLE,
          false,
          "The RedisClient opens no connections, it is shut down",
          error);
    }
    return new StoreFailure(
        Reason.UNAVAILABLE,
        true,
        "No connection to Redis could be opened (" + error.getMessage() + ", " + root(error) + ")",
        error);
  }

  private static StoreFailure withHint(StoreFailure failure) {
    return new StoreFailure(
        failure.reason(),
        failure.isTransient(),
        failure.getMessage() + Credentials.HINT,
        failure.getCause());
  }

  /** The failure of a call after the store was closed. */
  static StoreFailure closed() {
    return new StoreFailure(Reason.UNAVAILABLE, false, "The store is closed", null);
  }

  /** The failure of a call whose caller has given up before a connection could take it. */
  static StoreFailure notReadyYet() {
    return new StoreFailure(
        Reason.UNAVAILABLE,
        true,
        "Nothing was sent, as no connection to Redis was ready in time",
        null);
  }

  private static StoreFailure ofAnswer(Throwable error) {
    String text = String.valueOf(error.getMessage());
    String shown = LockKeys.escaped(text);
    for (Row row : ANSWERS) {
      if (row.text.matcher(text).find()) {
        return new StoreFailure(
            row.reason, row.isTransient, row.meaning + " (" + shown + ")", error);
      }
    }
    return new StoreFailure(
        Reason.SERVER_STATE, false, "Redis answered with an error (" + shown + ")", error);
  }

  private static @Nullable RedisCommandExecutionException answerIn(Throwable error) {
    for (Throwable t = error; t != null; t = t.getCause()) {
      if (t instanceof RedisCommandExecutionException answer) {
        return answer;
      }
    }
    return null;
  }

  /**
   * The error of a TLS handshake in which one side refused a certificate, null if there is none.
   */
  private static @Nullable Throwable refusedCertificate(Throwable error) {
    for (Throwable t = error; t != null; t = t.getCause()) {
      if (t instanceof CertificateException
          || REFUSED_CERTIFICATE.matcher(String.valueOf(t.getMessage())).find()) {
        return t;
      }
    }
    return null;
  }

  /** The exception itself, without the wrapper of a later stage of a future. */
  private static Throwable unwrapped(Throwable error) {
    return error instanceof CompletionException e && e.getCause() != null ? e.getCause() : error;
  }

  private static boolean isIn(Throwable error, String text) {
    return String.valueOf(error.getMessage()).contains(text);
  }

  private static Throwable root(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
