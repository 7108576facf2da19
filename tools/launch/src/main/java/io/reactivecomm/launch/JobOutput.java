package io.reactivecomm.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * The destination of the ranks' output, and the mark of each line.
 *
 * <p>When one of the two streams does not take what a rank says, the job ends its ranks and fails with a {@link LaunchException}: there may be nobody
 * any more to whom they matter. Such a stream throws, or is a {@link java.io.PrintStream} with an error. What the launcher itself cannot say is
 * dropped.
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

    /** {@return what takes the standard output of a rank, and tells if that does not go on} */
    LabelledLines outOf(int rank, Consumer<IOException> failed) {
        return new LabelledLines(label.apply(rank), out, omitted, failed);
    }

    /** {@return what takes the standard error of a rank, and tells if that does not go on} */
    LabelledLines errOf(int rank, Consumer<IOException> failed) {
        return new LabelledLines(label.apply(rank), err, omitted, failed);
    }

    /** Says something in the launcher's own name. */
    void say(String message) {
        LabelledLines lines = new LabelledLines("rcomm: ", err, Set.of(), failed -> {});
        byte[] bytes = message.getBytes(LabelledLines.CHARSET);
        lines.accept(bytes, bytes.length);
        lines.end();
    }
}
