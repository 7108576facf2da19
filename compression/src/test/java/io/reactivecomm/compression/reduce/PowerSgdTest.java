package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.ConnectedWorlds;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** PowerSGD over all transports, and what needs none. */
class PowerSgdTest {

    @Nested
    class Local extends PowerSgdMatrixContract implements LocalWorlds {}

    @Nested
    @Tag("thorough")
    class Tcp extends PowerSgdContract implements TcpWorlds {}

    @Nested
    @Tag("thorough")
    @Tag("repeated")
    class AllOverTcp extends PowerSgdMatrixContract implements TcpWorlds {}

    @Nested
    @Tag("thorough")
    @Tag("repeated")
    class SharedMemory extends PowerSgdMatrixContract implements ShmWorlds {}

    /** Bits that ranks of one world agree in may still depend on how they came there. */
    @Test
    void transports_bringTheSameBits() {
        try (WorldContract.World local = WorldContract.World.of(ReactiveComm.local(3));
                WorldContract.World tcp = ConnectedWorlds.open("tcp", 3, UnaryOperator.identity())) {
            assertThat(threeSteps(tcp.groups())).isEqualTo(threeSteps(local.groups()));
        }
    }

    private static float[] threeSteps(List<ProcessGroup> groups) {
        List<float[]> ends = Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(PowerSgdTest::threeSteps, groups.size())
                .collectList()
                .block(Duration.ofSeconds(30)));
        assertThat(ends).allSatisfy(each -> assertThat(each).isEqualTo(ends.getFirst()));
        return ends.getFirst();
    }

    private static Mono<float[]> threeSteps(ProcessGroup group) {
        return Mono.using(
                () -> PowerSgd.of(PowerSgdOptions.DEFAULT.withRank(2).withStartStep(0)),
                powerSgd -> Mono.using(
                        () -> elements(group.rank()),
                        tensor -> powerSgd.allReduce(group, "x", tensor, ReduceOp.AVG)
                                .repeat(2)
                                .then(Mono.fromSupplier(tensor::toFloatArray)),
                        Tensor::close),
                PowerSgd::close);
    }

    private static Tensor elements(int rank) {
        float[] numbers = new float[100 * 70];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) Math.sin(i * (rank + 1.3));
        }
        return Tensor.of(numbers, 100, 70);
    }

    @Test
    void optionsThatMakeNoSense_areRefused() {
        assertThatThrownBy(() -> PowerSgdOptions.DEFAULT.withRank(0))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("rank=0");
        assertThatThrownBy(() -> PowerSgdOptions.DEFAULT.withStartStep(-1)).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> PowerSgdOptions.DEFAULT.withLeastRate(Double.NaN))
                .isInstanceOf(InvalidCallException.class);
    }
}
