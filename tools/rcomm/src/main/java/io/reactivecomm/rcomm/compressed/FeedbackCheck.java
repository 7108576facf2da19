package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.lang.foreign.ValueLayout;
import java.nio.FloatBuffer;

/**
 * A check of all steps of an error feedback together. In each step a rank sends what it has and what it still owes, but for what it owes then. So over T steps of the same inputs
 * all of that cancels out, whatever the codec:
 *
 * <pre>
 *   sum of the T results  +  what all ranks owe now  =  T · exact sum
 * </pre>
 *
 * <p>but for the rounding of each step, of elements as large as what is owed.
 *
 * <p><b>Cost.</b> Two doubles an element, and a pass over each result.
 *
 * <p><b>Source.</b> Stich and Karimireddy, <em>The Error-Feedback Framework</em>, 2020, section 3.
 */
final class FeedbackCheck implements AutoCloseable {

    /** A snapshot's bytes are copied several times on the heap. */
    static final long MOST_BYTES = 128L << 20;

    /** Some roundings of FLOAT32 in each step: of what is added to the error, of what is taken off, on each rank and of the sum. */
    private static final double ROUNDING = 0x1p-21;

    private final CompressionInputs inputs;
    private final Tensor results;
    private long steps;

    FeedbackCheck(CompressionInputs inputs) {
        this.inputs = inputs;
        this.results = Tensor.allocate(DType.FLOAT64, inputs.count());
    }

    /** Takes the result of the next step. */
    void add(Tensor result) {
        steps++;
        float[] strip = new float[CompressionInputs.STRIP];
        for (long at = 0; at < inputs.count(); at += CompressionInputs.STRIP) {
            int n = inputs.stripAt(at);
            CompressionInputs.read(result, at, strip, n);
            for (int i = 0; i < n; i++) {
                add(results, at + i, strip[i]);
            }
        }
    }

    /**
     * {@return how many elements have lost or won something}
     *
     * @param group of all ranks, which ask together
     * @param errors of this rank after the last step
     */
    long wrong(ProcessGroup group, SavedErrors errors) {
        try (Tensor owed = Tensor.allocate(DType.FLOAT64, inputs.count())) {
            add(errors.worker(), 0, owed);
            add(errors.server(), (long) group.rank() * errors.server().remaining(), owed);
            group.named("owed").allReduce(owed, ReduceOp.SUM).block();
            return wrong(owed);
        }
    }

    /** Padding is no element, and behind all. */
    private void add(FloatBuffer part, long from, Tensor owed) {
        long n = Math.clamp(inputs.count() - from, 0, part.remaining());
        for (int i = 0; i < n; i++) {
            add(owed, from + i, part.get(i));
        }
    }

    private static void add(Tensor sum, long at, double value) {
        sum.segment().setAtIndex(ValueLayout.JAVA_DOUBLE, at, get(sum, at) + value);
    }

    private static double get(Tensor tensor, long at) {
        return tensor.segment().getAtIndex(ValueLayout.JAVA_DOUBLE, at);
    }

    private long wrong(Tensor owed) {
        double allowed = ROUNDING * steps * (mostOf(owed) + inputs.mostOfSum());
        float[] strip = new float[CompressionInputs.STRIP];
        long wrong = 0;
        for (long at = 0; at < inputs.count(); at += CompressionInputs.STRIP) {
            int n = inputs.stripAt(at);
            double[] exact = new double[n];
            for (int rank = 0; rank < inputs.ranks(); rank++) {
                inputs.read(rank, at, strip, n);
                for (int i = 0; i < n; i++) {
                    exact[i] += strip[i];
                }
            }
            for (int i = 0; i < n; i++) {
                wrong += Math.abs(get(results, at + i) + get(owed, at + i) - steps * exact[i]) <= allowed ? 0 : 1;
            }
        }
        return wrong;
    }

    private double mostOf(Tensor owed) {
        double most = 0;
        for (long i = 0; i < inputs.count(); i++) {
            most = Math.max(most, Math.abs(get(owed, i)));
        }
        return most;
    }

    @Override
    public void close() {
        results.close();
    }
}
