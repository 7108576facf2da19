package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** The word to an engine that no more calls are submitted in a turn. */
class SubmittedTest extends StrictWorlds {

    /** The fault is the memory's of another call. Who is told that this one fails is told in the same turn, and the engine before that. */
    @Test
    void callBehind_thatThrows_doesNotKeepTheEngineWaiting() {
        List<Mono<Work>> calls = new ArrayList<>();
        try (LocalWorld world = world(2, "patient");
                Arena arena = Arena.ofShared();
                Tensor unlucky = Tensor.allocate(DType.FLOAT32, PatientProvider.UNLUCKY)) {
            ProcessGroup first = world.groups().getFirst();
            Arena lost = Arena.ofShared();
            int before = PatientProvider.ENDED.get();
            Mono<Integer> ended = begun(error(first.receive(Tensor.wrap(lost.allocate(4), DType.FLOAT32, 1), 1, 7))
                    .map(failure -> {
                        assertThat(failure)
                                .isInstanceOf(InvalidCallException.class)
                                .hasMessageContaining("memory was freed");
                        return PatientProvider.ENDED.get() - before;
                    }));
            Mono<Work> other = begun(world.groups().getLast().barrier());
            // On the loop, so that both calls begin in one turn.
            first.barrier()
                    .doOnSuccess(barrier -> {
                        lost.close();
                        calls.add(
                                begun(first.allReduce(Tensor.wrap(arena.allocate(4), DType.FLOAT32, 1), ReduceOp.SUM)));
                        begun(error(first.allReduce(unlucky, ReduceOp.SUM)));
                    })
                    .block(LIMIT);
            other.block(LIMIT);

            assertThat(ended.block(LIMIT)).isEqualTo(1);
            assertThat(calls.getFirst().block(LIMIT)).isNotNull();
        }
    }
}
