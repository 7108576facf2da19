package io.reactivecomm.launch;

import java.io.OutputStream;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * The destination of the ranks' output, and the mark of each line.
 *
 * @param out for the ranks' standard output
 * @param err for the ranks' standard error, and for what the launcher itself has to say
 * @param label what goes before each line of a rank
 * @param omitted lines of the ranks that are left out, each without its label and its end: what a runtime says at every start
 */
public record JobOutput(OutputStream out, OutputStream err, IntFunction<String> label, Set<String> omitted) {

    public JobOutput {
        omitted = Set.copyOf(omitted);
    }

    /** {@return this process's own streams, each line marked {@code [rank]}, and none left out} */
    public static JobOutput standard() {
        return new JobOutput(System.out, System.err, rank -> "[" + rank + "] ", Set.of());
    }

    /** {@return a copy that marks lines like that} */
    public JobOutput withLabel(IntFunction<String> label) {
        return new JobOutput(out, err, label, omitted);
    }

    /** {@return a copy that leaves out those lines} */
    public JobOutput withOmitted(Set<String> omitted) {
        return new JobOutput(out, err, label, omitted);
    }

    /** {@return what takes the standard output of a rank} */
    LabelledLines outOf(int rank) {
        return new LabelledLines(label.apply(rank), out, omitted);
    }

    /** {@return what takes the standard error of a rank} */
    LabelledLines errOf(int rank) {
        return new LabelledLines(label.apply(rank), err, omitted);
    }

    /** Says something in the launcher's own name. */
    void say(String message) {
        LabelledLines lines = new LabelledLines("rcomm: ", err, Set.of());
        byte[] bytes = message.getBytes(LabelledLines.CHARSET);
        lines.accept(bytes, bytes.length);
        lines.end();
    }
}
