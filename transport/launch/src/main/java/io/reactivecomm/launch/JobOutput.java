package io.reactivecomm.launch;

import java.io.OutputStream;
import java.util.function.IntFunction;

/**
 * Where the ranks' output goes, and what marks each of its lines.
 *
 * @param out for the ranks' standard output
 * @param err for the ranks' standard error, and for what the launcher itself has to say
 * @param label what goes before each line of a rank
 */
public record JobOutput(OutputStream out, OutputStream err, IntFunction<String> label) {

    /** {@return this process's own streams, each line marked {@code [rank]}} */
    public static JobOutput standard() {
        return new JobOutput(System.out, System.err, rank -> "[" + rank + "] ");
    }

    /** {@return a copy that marks lines like that} */
    public JobOutput withLabel(IntFunction<String> label) {
        return new JobOutput(out, err, label);
    }

    /** Says something in the launcher's own name. */
    void say(String message) {
        LabelledLines lines = new LabelledLines("rcomm: ", err);
        byte[] bytes = message.getBytes(LabelledLines.CHARSET);
        lines.accept(bytes, bytes.length);
        lines.end();
    }
}
