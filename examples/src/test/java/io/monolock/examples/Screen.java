// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What a run of the program has left behind. */
record Screen(int exitCode, String out, String err) {

  static Screen of(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Quickstart.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(args);
    return new Screen(exitCode, out.toString(), err.toString());
  }
}
