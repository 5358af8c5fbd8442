// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A client's connection through a {@link CommandProxy}: one thread for each direction. */
final class CommandLink {

  private final Socket client;
  private final Socket server;
  private final CommandProxy.Rule rule;
  private final ReplyFrames frames = new ReplyFrames(); // guarded by this
  private int unanswered; // guarded by this

  /** What a thread does until a connection ends. */
  interface Loop {
    void run() throws IOException;
  }

  CommandLink(Socket client, Socket server, CommandProxy.Rule rule) throws IOException {
    this.client = client;
    this.server = server;
    this.rule = rule;
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
  }

  static void start(Loop loop) {
    Thread thread =
        new Thread(
            () -> {
              try {
                loop.run();
              } catch (IOException e) {
                // a side has closed the connection
              }
            },
            "monolock-command-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  static void close(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is closed
    }
  }

  /** Passes commands on until one side closes. */
  void run() throws IOException {
    start(this::passReplies);
    try {
      DataInputStream requests =
          new DataInputStream(new BufferedInputStream(client.getInputStream()));
      while (true) {
        pass(readCommand(requests));
      }
    } finally {
      close();
    }
  }

  void close() {
    close(client);
    close(server);
  }

  private void pass(List<byte[]> command) throws IOException {
    List<String> words = new ArrayList<>();
    command.forEach(word -> words.add(new String(word, StandardCharsets.UTF_8)));
    words.set(0, words.get(0).toUpperCase(Locale.ROOT));
    Optional<String> reply = rule.reply(words);
    if (reply.isPresent()) {
      answer(reply.get());
    } else {
      synchronized (this) {
        unanswered++;
      }
      write(server, command);
    }
  }

  private synchronized void answer(String reply) throws IOException {
    while (unanswered > 0 || !frames.isBetween()) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
    }
    client.getOutputStream().write((reply + "\r\n").getBytes(StandardCharsets.UTF_8));
  }

  private void passReplies() throws IOException {
    byte[] buffer = new byte[8_192];
    try {
      InputStream replies = server.getInputStream();
      for (int read = replies.read(buffer); read >= 0; read = replies.read(buffer)) {
        passReplies(buffer, read);
      }
    } finally {
      close();
    }
  }

  private synchronized void passReplies(byte[] bytes, int length) throws IOException {
    client.getOutputStream().write(bytes, 0, length);
    for (int i = 0; i < length; i++) {
      if (frames.beginsReply(bytes[i])) {
        unanswered--;
      }
      frames.accept(bytes[i]);
    }
    notifyAll();
  }

  private static List<byte[]> readCommand(DataInputStream requests) throws IOException {
    int words = readNumber(requests, '*');
    List<byte[]> command = new ArrayList<>();
    for (int i = 0; i < words; i++) {
      byte[] word = new byte[readNumber(requests, '$')];
      requests.readFully(word);
      requests.skipNBytes(2);
      command.add(word);
    }
    return command;
  }

  private static int readNumber(DataInputStream requests, char type) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = requests.read(); next != '\n'; next = requests.read()) {
      if (next < 0) {
        throw new EOFException();
      }
      line.append((char) next);
    }
    if (line.charAt(0) != type) {
      throw new IOException("A command must be an array of strings, was " + line);
    }
    return Integer.parseInt(line.substring(1).trim());
  }

  private static void write(Socket server, List<byte[]> command) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(ascii("*" + command.size()));
    for (byte[] word : command) {
      bytes.writeBytes(ascii("$" + word.length));
      bytes.writeBytes(word);
      bytes.writeBytes(ascii(""));
    }
    OutputStream requests = server.getOutputStream();
    bytes.writeTo(requests);
  }

  private static byte[] ascii(String line) {
    return (line + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }
}
