package io.reactivecomm.internal.train;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.Divisor;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.StepView;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The count of one step: which ranks still have inputs. It is a hook that takes no gradient; its all-reduce, one byte for each rank, is issued before any bucket and delays none. Results leave their buckets
 * once it is known, for averages may be divided by it.
 *
 * <p><b>Threads.</b> Any.
 */
final class ActiveRanks implements GradientHook {

    /**
     * The terms that all ranks have in common.
     *
     * @param divisor of averages
     * @param isEarlyEndAnError whether the first step that one rank has no input for fails on all
     */
    record Terms(Divisor divisor, boolean isEarlyEndAnError) {}

    private final ProcessGroup group;
    private final Terms terms;
    private final boolean isActive;
    private final Sinks.One<Integer> count = Sinks.one();
    private volatile int known;

    /** @param isActive whether this rank has an input for the step */
    ActiveRanks(ProcessGroup group, Terms terms, boolean isActive) {
        this.group = group;
        this.terms = terms;
        this.isActive = isActive;
    }

    StepHook hook() {
        return new StepHook(this, new HookScope(group, name -> false), null);
    }

    /** {@return whether this rank has an input for the step} */
    boolean isActive() {
        return isActive;
    }

    /** {@return the number of ranks with inputs, or the error of the step} */
    Mono<Integer> count() {
        return count.asMono();
    }

    /** {@return the number that averages are divided by} Once it has been counted. */
    int divisor() {
        return switch (terms.divisor) {
            case WORLD_SIZE -> group.size();
            case ACTIVE_RANKS -> Math.max(1, known);
        };
    }

    /** {@return whether averages are sums that are scaled as they leave their buckets} */
    boolean dividesLast() {
        return terms.divisor == Divisor.ACTIVE_RANKS;
    }

    /** {@return whether no rank had an input in a step that has succeeded} */
    boolean areNone() {
        return known == 0;
    }

    @Override
    public String label() {
        return "active ranks, averages over " + terms.divisor
                + (terms.isEarlyEndAnError ? ", an early end is an error" : "");
    }

    @Override
    public void begins(StepView step) {
        Tensor flags = Tensor.allocate(DType.UINT8, group.size());
        flags.set(IntStream.range(0, group.size())
                .map(rank -> isActive && rank == group.rank() ? 1 : 0)
                .toArray());
        step.group()
                .named("active")
                .allReduce(flags, ReduceOp.MAX)
                .map(work -> counted(flags.toByteArray(), step))
                .doFinally(end -> flags.close())
                .contextWrite(step.context())
                .subscribe(count::tryEmitValue, count::tryEmitError);
    }

    private int counted(byte[] flags, StepView step) {
        List<Integer> finished = IntStream.range(0, flags.length)
                .filter(rank -> flags[rank] == 0)
                .mapToObj(group::globalRank)
                .toList();
        known = flags.length - finished.size();
        if (terms.isEarlyEndAnError && known > 0 && !finished.isEmpty()) {
            throw new InvalidCallException("ranks have no further inputs while others have: finished=" + finished
                    + ", worldSize=" + flags.length + ", step=" + step.number() + ", rank="
                    + group.globalRank(group.rank())
                    + "; end training on all ranks, or give each rank as many inputs");
        }
        return known;
    }

    @Override
    public Mono<Gradient> apply(Gradient gradient, StepView step) {
        return Mono.just(gradient);
    }

    @Override
    public Flux<Gradient> passEnded(StepView step) {
        return count().thenMany(Flux.empty());
    }
}
