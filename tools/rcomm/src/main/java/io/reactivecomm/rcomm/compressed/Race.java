package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Traffic;
import io.reactivecomm.rcomm.perf.AcrossRanks;
import io.reactivecomm.rcomm.perf.BatchMeans;
import io.reactivecomm.rcomm.perf.CompilerLoad;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import io.reactivecomm.samples.programs.codec.CodecSettings;
import io.reactivecomm.samples.programs.codec.NamedReduction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The measuring of one compression and one size on one rank, beside the plain all-reduce of the same tensor:
 *
 * <pre>
 *   first step ── checked      warm-up: plain, compressed, plain, …      round: plain × k, compressed × m      …      first step ── checked
 * </pre>
 *
 * <p>What the machine does to one in a bad second it does to the other. Before each call the tensor is written anew, and all ranks meet in a
 * barrier; after it the result is checked, and at the end all of them together ({@link FeedbackCheck}). None of that is in the time.
 *
 * <p><b>Threads.</b> The rank's own, which it blocks.
 */
final class Race implements AutoCloseable {

    private static final long MOST_CALLS = 200;

    private static final double NANOS_OF_A_MICRO = 1e3;

    private final ProcessGroup group;
    private final AcrossRanks ranks;
    private final CodecChoice codec;
    private final CompressedOptions.Timing timing;
    private final CompressionInputs inputs;
    private final Tensor source;
    private final Tensor tensor;
    private final NamedReduction reduction;
    private final @Nullable FeedbackCheck feedback;

    Race(ProcessGroup group, CodecChoice codec, long bytes, CompressedOptions.Timing timing) {
        this.group = group;
        this.ranks = new AcrossRanks(group);
        this.codec = codec;
        this.timing = timing;
        this.inputs = CompressionInputs.of(codec, group.size(), bytes / Float.BYTES);
        this.source = Tensor.allocate(DType.FLOAT32, inputs.shape());
        this.tensor = Tensor.allocate(DType.FLOAT32, inputs.shape());
        this.reduction = codec.begin(CodecSettings.DEFAULT);
        this.feedback = bytes <= FeedbackCheck.MOST_BYTES && reduction instanceof NamedReduction.Encoded
                ? new FeedbackCheck(inputs)
                : null;
        inputs.fill(group.rank(), source);
    }

    /**
     * The figures of one kind of calls.
     *
     * @param means of each round, over all ranks
     * @param wireBytes of a call, on the rank that sent most
     */
    record Figures(BatchMeans means, long wireBytes) {}

    /**
     * The outcome of all rounds.
     *
     * @param errors of both kinds, over all ranks
     * @param compiling how busy a rank's compilers were meanwhile
     */
    record Result(Figures plain, Figures compressed, long errors, double compiling) {}

    /** One kind of calls, and what became of those that were measured. */
    private final class Contestant {

        private final Supplier<Mono<?>> call;
        private final ResultCheck check;
        private final @Nullable FeedbackCheck all;
        private final List<Long> nanos = new ArrayList<>();
        private final List<Long> bytes = new ArrayList<>();
        private final List<Long> hashes = new ArrayList<>();
        private long wrong;
        private int callsARound = 1;

        /** @param feedback which is told of each result, or null */
        private Contestant(Supplier<Mono<?>> call, ResultCheck check, @Nullable FeedbackCheck feedback) {
            this.call = call;
            this.check = check;
            this.all = feedback;
        }

        /** Makes one call on fresh input. {@return how long it took here} */
        private long once(boolean isMeasured) {
            tensor.segment().copyFrom(source.segment());
            Timed timed = group.barrier()
                    .then(Mono.defer(() -> timed(call.get())))
                    .blockOptional()
                    .orElseThrow();
            if (all != null) {
                all.add(tensor);
            }
            if (isMeasured) {
                nanos.add(timed.nanos);
                bytes.add(timed.bytes);
                verify(false);
            }
            return timed.nanos;
        }

        private void verify(boolean isFirst) {
            hashes.add(ResultHash.of(tensor));
            wrong += check.wrong(tensor, isFirst);
        }

        private void warmUp() {
            callsARound = callsIn(timing.batchTime(), once(false));
        }

        private void round() {
            for (int call = 0; call < callsARound; call++) {
                once(true);
            }
        }

        private int callsIn(Duration time, long nanosOfCall) {
            return (int) Math.clamp(time.toNanos() / Math.max(1, nanosOfCall), 1, MOST_CALLS);
        }

        private Figures figures() {
            long[] slowest = ranks.most(array(nanos));
            double[] means = IntStream.range(0, timing.rounds())
                    .mapToDouble(round -> Arrays.stream(slowest, round * callsARound, (round + 1) * callsARound)
                                    .average()
                                    .orElse(0)
                            / NANOS_OF_A_MICRO)
                    .toArray();
            long[] sent = ranks.most(array(bytes));
            Arrays.sort(sent);
            return new Figures(new BatchMeans(means), sent[sent.length / 2]);
        }

        private long errors() {
            long[] least = ranks.least(array(hashes));
            long[] most = ranks.most(array(hashes));
            long differing = IntStream.range(0, least.length)
                    .filter(call -> least[call] != most[call])
                    .count();
            return ranks.sum(wrong) + differing;
        }
    }

    /** The time and the bytes of one call on this rank. */
    private record Timed(long nanos, long bytes) {}

    private Mono<Timed> timed(Mono<?> call) {
        Traffic before = group.traffic();
        long begun = System.nanoTime();
        return call.then(Mono.fromSupplier(() -> new Timed(
                System.nanoTime() - begun, group.traffic().minus(before).bytes())));
    }

    private static long[] array(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).toArray();
    }

    Result run() {
        Contestant plain =
                new Contestant(() -> group.allReduce(tensor, ReduceOp.SUM), BoundedCheck.exact(inputs), null);
        Contestant compressed =
                new Contestant(() -> reduction.sum(group, "race", tensor), ResultCheck.of(codec, inputs), feedback);
        compressed.once(false);
        compressed.verify(true);
        warmUp(List.of(plain, compressed));
        CompilerLoad compilers = new CompilerLoad();
        for (int round = 0; round < timing.rounds(); round++) {
            plain.round();
            compressed.round();
        }
        double compiling = ranks.most(compilers.share());
        compressed.wrong += wrongOfAllSteps();
        checkFirstStep(compressed.check, compressed);
        return new Result(plain.figures(), compressed.figures(), plain.errors() + compressed.errors(), compiling);
    }

    private void warmUp(List<Contestant> contestants) {
        long end = System.nanoTime() + timing.warmUp().toNanos();
        boolean goesOn = true;
        while (goesOn) {
            contestants.forEach(Contestant::warmUp);
            goesOn = ranks.agreed(System.nanoTime() < end ? 1 : 0) == 1;
        }
        contestants.forEach(each -> each.callsARound = (int) ranks.agreed(each.callsARound));
    }

    /** By now all loops are compiled, which may not change a bit. */
    private void checkFirstStep(ResultCheck check, Contestant compressed) {
        try (NamedReduction fresh = codec.begin(CodecSettings.DEFAULT)) {
            tensor.segment().copyFrom(source.segment());
            fresh.sum(group, "fresh", tensor).block();
            compressed.hashes.add(ResultHash.of(tensor));
            compressed.wrong += check.wrong(tensor, true);
        }
    }

    /** {@return how many elements have not come, or come twice, in all steps together} Factors have no errors of elements. */
    private long wrongOfAllSteps() {
        return feedback != null && reduction instanceof NamedReduction.Encoded encoded
                ? feedback.wrong(group, SavedErrors.of(encoded.reducer().state().snapshot()))
                : 0;
    }

    /** Frees tensors and state. */
    @Override
    public void close() {
        if (feedback != null) {
            feedback.close();
        }
        reduction.close();
        source.close();
        tensor.close();
    }
}
