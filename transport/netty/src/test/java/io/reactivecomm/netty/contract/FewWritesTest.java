package io.reactivecomm.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Traffic;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls that begin together leave together. */
class FewWritesTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int CALLS = 1_000;
    private static final int KIB = 1_024;
    private static final int MOST_WRITES = 40;

    @Test
    void thousandSmallAllReduces_ofOneTurn_leaveInAFewWrites() {
        try (WorldContract.World world = TcpWorlds.open(2, UnaryOperator.identity())) {
            List<Traffic> sent = Flux.fromIterable(world.groups())
                    .flatMap(FewWritesTest::reduceAll, 2)
                    .collectList()
                    .block(LIMIT);
            assertThat(sent).hasSize(2).allSatisfy(traffic -> {
                assertThat(traffic.frames()).isGreaterThanOrEqualTo(CALLS);
                assertThat(traffic.bytes()).isBetween((long) CALLS * KIB, (long) CALLS * (KIB + 32));
                assertThat(traffic.writes()).isLessThanOrEqualTo(MOST_WRITES);
            });
        }
    }

    /** Subscribes to all of them in the turn of the loop in which a barrier ends. {@return what they cost} */
    private static Mono<Traffic> reduceAll(ProcessGroup group) {
        List<Tensor> tensors = Stream.generate(() -> Tensor.allocate(DType.UINT8, KIB))
                .limit(CALLS)
                .toList();
        return group.barrier()
                .flatMap(begun -> {
                    Traffic before = group.traffic();
                    List<Mono<Work>> calls = tensors.stream()
                            .map(tensor -> group.allReduce(tensor, ReduceOp.SUM))
                            .toList();
                    return group.batch(calls).map(ended -> group.traffic().minus(before));
                })
                .doFinally(ended -> tensors.forEach(Tensor::close));
    }
}
