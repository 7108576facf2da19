package io.reactivecomm.compression.internal.state;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.StepMemory;
import java.util.Arrays;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/**
 * The first call of each step: the ranks tell each other which step theirs is. Those that are ahead, because the last one failed elsewhere, go back by one.
 *
 * <pre>
 *   rank 0: 7    rank 1: 8, can go back    rank 2: 7    all begin at 7
 *   rank 0: 7    rank 1: 9                              an error on all ranks
 * </pre>
 */
public final class StepAgreement {

    private static final int FACTS = 2;

    private StepAgreement() {}

    /** {@return the end of it} All ranks see the same numbers, so they agree or fail alike. */
    public static Mono<Void> on(String name, NamedState state, ProcessGroup group) {
        return StepMemory.with(memory -> {
            Tensor own = memory.of(() -> Tensor.of(new long[] {state.latest().step(), state.hasBefore() ? 1 : 0}));
            Tensor all = memory.of(() -> Tensor.allocate(DType.INT64, (long) FACTS * group.size()));
            return group.allGather(own, all).doOnNext(work -> settle(name, state, all.toLongArray())).then();
        });
    }

    private static void settle(String name, NamedState state, long[] facts) {
        long[] steps = IntStream.range(0, facts.length / FACTS).mapToLong(rank -> facts[rank * FACTS]).toArray();
        long least = Arrays.stream(steps).min().orElse(0);
        for (int rank = 0; rank < steps.length; rank++) {
            boolean canGoBack = steps[rank] == least + 1 && facts[rank * FACTS + 1] != 0;
            if (steps[rank] != least && !canGoBack) {
                throw new InvalidCallException("the states of a compressed all-reduce are not those of one step: name=" + name + ", steps by rank="
                        + Arrays.toString(steps) + "; restore what all ranks saved after one step, or reset the state on all of them");
            }
        }
        if (state.latest().step() != least) {
            state.stepBack();
        }
    }
}
