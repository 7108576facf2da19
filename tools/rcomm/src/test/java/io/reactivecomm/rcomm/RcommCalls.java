package io.reactivecomm.rcomm;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** A run of the command in this process, and what it printed. */
final class RcommCalls {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** {@return the exit code} */
    int run(String... arguments) {
        CommandLine command = Rcomm.commandLine();
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        return command.execute(arguments);
    }

    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }
}
