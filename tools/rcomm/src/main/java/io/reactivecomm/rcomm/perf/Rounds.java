package io.reactivecomm.rcomm.perf;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.List;
import java.util.function.DoubleConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The measuring of one case on one rank: check, warm up, agree on a number of rounds, take the batches, check again.
 *
 * <p>Rounds go one at a time: the next is assembled and subscribed to when the last completes, on the group's loop, and that is inside the
 * time. Each batch starts from a barrier. Rank 0 decides how many rounds a batch has and broadcasts it, so that all ranks make the same
 * calls.
 *
 * <p><b>Threads.</b> The rank's own, which it blocks between batches.
 */
final class Rounds {

    /** Enough to load classes and links, before the first guess at the time of a round. */
    private static final int FIRST_ROUNDS = 3;

    /**
     * Passes of warm-up, each as long as two batches and with a better guess at the time of a round than the one before: the first rounds
     * are interpreted and a hundred times slower, so that a number of rounds guessed from them alone ends before the code is compiled.
     */
    private static final int WARM_UPS = 4;

    private static final long MAX_ROUNDS = 20_000;

    private final ProcessGroup group;
    private final AcrossRanks ranks;
    private final Measured measured;
    private final PerfOptions.Timing timing;
    private final DoubleConsumer told;
    private String algorithm = "";

    /** @param told takes, between batches, which part of it all is done, as far as that is known beforehand */
    Rounds(ProcessGroup group, Measured measured, PerfOptions.Timing timing, DoubleConsumer told) {
        this.group = group;
        this.ranks = new AcrossRanks(group);
        this.measured = measured;
        this.timing = timing;
        this.told = told;
    }

    private void tell(Duration warmUp, int batches) {
        Duration done = warmUp.plus(timing.batchTime().multipliedBy(batches));
        Duration whole = timing.warmUp().plus(timing.batchTime().multipliedBy(2L * WARM_UPS + timing.batches()));
        told.accept(whole.isZero() ? 0 : Math.min(1, (double) done.toNanos() / whole.toNanos()));
    }

    /**
     * The figures of one case.
     *
     * @param means of each batch, on this rank
     * @param algorithm the schedules that ran
     * @param errors wrong elements, over all ranks
     * @param compiling how busy a rank's compilers were meanwhile, on the rank where they were busiest
     */
    record Result(BatchMeans means, String algorithm, long errors, double compiling) {}

    /** Makes rounds for the time of the warm-up, in passes as long as a batch. */
    void warmUp() {
        measured.fill();
        long begun = System.nanoTime();
        long end = begun + timing.warmUp().toNanos();
        long rounds = FIRST_ROUNDS;
        while (rounds > 0) {
            long guess = nanosOf(rounds) / rounds;
            boolean goesOn = System.nanoTime() < end;
            tell(
                    Duration.ofNanos(
                            Math.min(System.nanoTime() - begun, timing.warmUp().toNanos())),
                    0);
            rounds = ranks.agreed(goesOn ? roundsIn(timing.batchTime(), guess) : 0);
        }
    }

    Result measure() {
        long wrongBefore = checkedRound();
        long guess = nanosOf(FIRST_ROUNDS) / FIRST_ROUNDS;
        for (int pass = 0; pass < WARM_UPS; pass++) {
            long warmUp = agreedRounds(timing.batchTime().multipliedBy(2), guess);
            guess = nanosOf(warmUp) / warmUp;
            tell(timing.warmUp(), 2 * (pass + 1));
        }
        long rounds = agreedRounds(timing.batchTime(), guess);
        CompilerLoad compilers = new CompilerLoad();
        double[] means = new double[timing.batches()];
        for (int batch = 0; batch < means.length; batch++) {
            means[batch] = nanosOf(rounds) / 1e3 / rounds;
            tell(timing.warmUp(), 2 * WARM_UPS + batch + 1);
        }
        double compiling = ranks.most(compilers.share());
        long wrong = wrongBefore + checkedRound();
        return new Result(new BatchMeans(means), algorithm, ranks.sum(wrong), compiling);
    }

    /** Makes one round on fresh input. {@return how many elements of this rank's result are wrong} */
    private long checkedRound() {
        measured.fill();
        List<Work> works = group.barrier()
                .thenMany(Flux.defer(measured::calls))
                .collectList()
                .blockOptional()
                .orElseThrow();
        algorithm = String.join(
                "+", works.stream().map(Work::algorithm).distinct().sorted().toList());
        return measured.wrongElements();
    }

    /** {@return how long so many rounds take, from a barrier on} */
    private long nanosOf(long rounds) {
        Mono<Long> timed = Mono.defer(() -> {
            long start = System.nanoTime();
            return Flux.defer(measured::calls)
                    .repeat(rounds - 1)
                    .then(Mono.fromSupplier(() -> System.nanoTime() - start));
        });
        return group.barrier().then(timed).blockOptional().orElseThrow();
    }

    private long agreedRounds(Duration time, long nanosPerRound) {
        return ranks.agreed(roundsIn(time, nanosPerRound));
    }

    private static long roundsIn(Duration time, long nanosPerRound) {
        return Math.clamp(time.toNanos() / Math.max(1, nanosPerRound), 1, MAX_ROUNDS);
    }
}
