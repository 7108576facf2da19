package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A call that some ranks make with tensors of the host, and others with those of a device, where each has an engine of its own. */
class RivalEnginesTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static Mono<Throwable> end(ProcessGroup group, Tensor tensor) {
        return group.allReduce(tensor, ReduceOp.SUM)
                .<Throwable>map(work -> new AssertionError("succeeded: " + work))
                .onErrorResume(Mono::just)
                .doFinally(end -> tensor.close());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void oneCall_givenToTwoEnginesBesideLinks_isAMismatchOnAll(int size) {
        CommConfig settings =
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withBackend("cpu:strict,fake:fake");
        try (LocalWorld world = ReactiveComm.local(size, settings)) {
            List<Throwable> ends = Flux.fromIterable(world.groups())
                    .flatMap(group -> end(
                            group,
                            group.rank() % 2 == 0
                                    ? Tensor.allocate(DType.FLOAT32, 2)
                                    : group.allocate(new Device("fake", 0), DType.FLOAT32, 2)))
                    .collectList()
                    .block(LIMIT);

            assertThat(ends)
                    .hasSize(size)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContaining("on strict")
                            .hasMessageContaining("on fake"));
        }
    }
}
