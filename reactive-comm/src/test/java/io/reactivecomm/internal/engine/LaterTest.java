package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.transfer.EngineLimits;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps that wait for nobody: what takes long is done a slice at a time. */
class LaterTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final int SLICES = 5;
    private static final long COUNT = SLICES * (EngineLimits.DEFAULT.sliceBytes() / Float.BYTES) - 1;

    private final EngineWorld world = new EngineWorld(1, EngineLimits.DEFAULT, 1);
    private final Engine engine = world.engines.getFirst();

    /** Copies, and folds. */
    static Stream<Reduction> reductions() {
        return Stream.of(ReduceOp.SUM, new PreMulSum(1));
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void largeCall_takesAsManyTurnsAsItHasSlices_andIsRight(Reduction op) {
        try (world;
                Tensor input = Tensor.allocate(DType.FLOAT32, COUNT);
                Tensor output = Tensor.allocate(DType.FLOAT32, COUNT)) {
            input.segment().fill((byte) 0x40);
            EngineWorld.End end = world.allReduce(0, "", input, output, op, TIMEOUT);
            int turns = 1;
            while (!end.isThere()) {
                assertThat(engine.nextDeadline()).isLessThanOrEqualTo(world.now());
                engine.time(world.now());
                world.turn(0);
                turns++;
            }

            assertThat(end.failure).isNull();
            assertThat(turns).isEqualTo(SLICES);
            assertThat(output.segment().mismatch(input.segment())).isEqualTo(-1);
            assertThat(engine.nextDeadline()).isGreaterThan(world.now());
        }
    }

    @Test
    void callThatFailsMeanwhile_touchesItsTensorsNoMore() {
        try (world;
                Tensor input = Tensor.allocate(DType.UINT8, COUNT);
                Tensor output = Tensor.allocate(DType.UINT8, COUNT)) {
            input.segment().fill((byte) 1);
            EngineWorld.End end = world.allReduce(0, "", input, output, ReduceOp.SUM, TIMEOUT);
            engine.abort(world.groups.getFirst(), "enough", world.now());
            world.turn(0);
            assertThat(end.whyNot().text()).contains("enough");

            output.segment().fill((byte) 2);
            engine.time(world.now());
            engine.time(world.now());

            assertThat(output.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(2);
            assertThat(engine.nextDeadline()).isGreaterThan(world.now());
        }
    }
}
