package io.reactivecomm.testkit.chain;

import io.reactivecomm.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * The run of one plan: each rank of a world goes through its steps on a thread of its own.
 *
 * <p><b>Threads.</b> The caller's, which waits; ranks tell it of failures from any.
 */
final class PlanRun implements AutoCloseable {

    private final ChainPlan plan;
    private final Duration limit;
    private final List<Gathering> begun;
    private final List<Gathering> ended;
    private final List<ChainRank> ranks = new ArrayList<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean isStopped;

    /** @param view a name that no other plan's calls in the same world have */
    PlanRun(ChainPlan plan, ChainWorld world, String view, Duration limit) {
        this.plan = plan;
        this.limit = limit;
        this.begun = gatherings();
        this.ended = gatherings();
        for (int rank = 0; rank < plan.worldSize(); rank++) {
            ranks.add(new ChainRank(this, rank, world.groups(plan.layout(), rank, view)));
        }
    }

    private List<Gathering> gatherings() {
        return IntStream.range(0, plan.steps())
                .mapToObj(step -> new Gathering(plan.worldSize()))
                .toList();
    }

    ChainPlan plan() {
        return plan;
    }

    Duration limit() {
        return limit;
    }

    Gathering begun(int step) {
        return begun.get(step);
    }

    Gathering ended(int step) {
        return ended.get(step);
    }

    List<ChainRank> ranks() {
        return ranks;
    }

    void fails(String what) {
        failures.add(what);
        stop();
    }

    /** Enough is wrong: ranks begin no further step, each of which might wait for its deadline. */
    void stop() {
        isStopped = true;
    }

    boolean isStopped() {
        return isStopped;
    }

    /** Runs all steps. */
    void perform() throws InterruptedException {
        List<Thread> threads = ranks.stream()
                .map(rank -> Thread.ofPlatform()
                        .daemon()
                        .name("chain of rank " + rank.rank())
                        .uncaughtExceptionHandler((thread, thrown) ->
                                fails("a rank has died: rank=" + rank.rank() + ", thrown=" + thrown))
                        .start(rank))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        if (!isStopped) {
            requireGivenBack();
        }
    }

    private void requireGivenBack() {
        List<Tensor> all = ranks.stream()
                .flatMap(rank -> rank.steps().stream())
                .flatMap(step -> step.tensors().stream())
                .toList();
        boolean isReleased =
                Boolean.TRUE.equals(Mono.when(all.stream().map(Tensor::released).toList())
                        .thenReturn(true)
                        .timeout(limit, Mono.just(false))
                        .block());
        if (!isReleased) {
            Stream<Tensor> kept =
                    all.stream().filter(tensor -> !tensor.released().toFuture().isDone());
            fails("gradients are still borrowed: " + kept.toList());
        }
    }

    /** {@return what was seen to be wrong while it ran} */
    List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void close() {
        ranks.forEach(ChainRank::close);
    }
}
