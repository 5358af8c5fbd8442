// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Contenders;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The program of a client process: a {@link ClientSession} that ends with its input. */
public final class ClientMain {

  private ClientMain() {}

  /**
   * Runs the program.
   *
   * @param args the name of a contender and the address of the server
   * @throws IOException when the input cannot be read
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // whatever libraries print
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ClientSession session = new ClientSession(Contenders.valueOf(args[0]), args[1]);
    answers.println("ready");
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      answers.println(session.execute(line));
    }
    System.exit(0);
  }
}
