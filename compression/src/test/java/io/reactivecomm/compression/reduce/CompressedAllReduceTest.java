package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.device.CudaWorlds;
import io.reactivecomm.compression.internal.state.NamedState;
import io.reactivecomm.compression.internal.state.StateHome;
import io.reactivecomm.compression.internal.state.StateShape;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Compressed all-reduces over all transports, and what needs none. */
class CompressedAllReduceTest {

    @Nested
    class Local extends CompressedAllReduceContract implements LocalWorlds {}

    @Nested
    class Bits extends CompressedBitsContract implements LocalWorlds {}

    @Nested
    class Masks extends CompressedMasksContract implements LocalWorlds {}

    @Nested
    class States extends CompressedStatesContract implements LocalWorlds {}

    @Nested
    class Faults extends CompressedFaultsContract implements LocalWorlds {}

    @Nested
    @Tag("repeated")
    @Tag("thorough")
    class Tcp extends CompressedAllReduceContract implements TcpWorlds {}

    /** On a device, where kernels encode. */
    @Nested
    @Tag("repeated")
    class OnDevice extends CompressedAllReduceContract implements CudaWorlds {}

    /** All else on a device. */
    @Nested
    @Tag("thorough")
    class AllOnDevice {

        @Nested
        @Tag("repeated")
        class Bits extends CompressedBitsContract implements CudaWorlds {}

        @Nested
        @Tag("repeated")
        class Masks extends CompressedMasksContract implements CudaWorlds {}

        @Nested
        @Tag("repeated")
        class States extends CompressedStatesContract implements CudaWorlds {}

        @Nested
        @Tag("repeated")
        class Faults extends CompressedFaultsContract implements CudaWorlds {}
    }

    /** All else over TCP. */
    @Nested
    @Tag("thorough")
    class AllOverTcp {

        @Nested
        @Tag("repeated")
        class Bits extends CompressedBitsContract implements TcpWorlds {}

        @Nested
        @Tag("repeated")
        class Masks extends CompressedMasksContract implements TcpWorlds {}

        @Nested
        @Tag("repeated")
        class States extends CompressedStatesContract implements TcpWorlds {}

        @Nested
        @Tag("repeated")
        class Faults extends CompressedFaultsContract implements TcpWorlds {}
    }

    /** All through shared memory. */
    @Nested
    @Tag("thorough")
    class SharedMemory {

        @Nested
        @Tag("repeated")
        class Calls extends CompressedAllReduceContract implements ShmWorlds {}

        @Nested
        @Tag("repeated")
        class Bits extends CompressedBitsContract implements ShmWorlds {}

        @Nested
        @Tag("repeated")
        class Masks extends CompressedMasksContract implements ShmWorlds {}

        @Nested
        @Tag("repeated")
        class States extends CompressedStatesContract implements ShmWorlds {}

        @Nested
        @Tag("repeated")
        class Faults extends CompressedFaultsContract implements ShmWorlds {}
    }

    @Test
    void bytesThatAreNoSnapshot_areRefused() {
        byte[] sound = new CompressionSnapshot(Map.of()).toBytes();
        byte[] damaged = sound.clone();
        damaged[9]++;
        for (byte[] bytes : new byte[][] {{}, new byte[100], damaged}) {
            assertThatThrownBy(() -> CompressionSnapshot.of(bytes))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("toBytes()");
        }
    }

    /** Or the next step, which may begin at once, would find it taken. */
    @Test
    void state_isGivenBack_beforeTheEndIsTold() {
        StateShape shape = new StateShape("any", DType.FLOAT32, 1, 1, 0, List.of());
        try (LocalWorld world = ReactiveComm.local(1);
                CompressionState state = new CompressionState(true, new double[0])) {
            Boolean isTaken = state.step(world.groups().getFirst(), "x", shape, StateHome.HOST, Mono::just)
                    .map(named -> isTaken(state, shape))
                    .block(Duration.ofSeconds(30));
            assertThat(isTaken).isFalse();
            Throwable error = new IllegalStateException("planted");
            isTaken = state.step(
                            world.groups().getFirst(), "x", shape, StateHome.HOST, named -> Mono.<Boolean>error(error))
                    .onErrorResume(told -> Mono.fromSupplier(() -> isTaken(state, shape)))
                    .block(Duration.ofSeconds(30));
            assertThat(isTaken).isFalse();
        }
    }

    private static boolean isTaken(CompressionState state, StateShape shape) {
        try {
            state.giveBack("x", state.take("x", shape, StateHome.HOST));
            return false;
        } catch (InvalidCallException e) {
            return true;
        }
    }

    @Test
    void closedState_isRefused_andStaysClosed() {
        CompressionState state = new CompressionState(true, new double[0]);
        StateShape shape =
                new StateShape("any", DType.FLOAT32, 1, 1, 0, List.of(new StateShape.Kept(DType.FLOAT32, 1)));
        NamedState open = state.take("x", shape, StateHome.HOST);
        open.wentWell(new double[0]);
        state.close();
        state.giveBack("x", open);
        assertThat(open.latest().kept(0).released().toFuture()).isDone();
        assertThatThrownBy(state::snapshot)
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> state.take("x", shape, StateHome.HOST))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> state.restore(new CompressionSnapshot(Map.of())))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("closed");
        state.close();
    }

    /** The plans of large buckets have long labels. */
    @Test
    void snapshot_ofLongTexts_isReadAsItWasWritten() {
        StateShape shape = new StateShape("é".repeat(70_000), DType.FLOAT32, 1, 1, 0, List.of());
        CompressionSnapshot snapshot = new CompressionSnapshot(
                Map.of("x".repeat(70_000), new CompressionSnapshot.Saved(shape, 3, new double[] {0.5}, List.of())));
        assertThat(CompressionSnapshot.of(snapshot.toBytes())).isEqualTo(snapshot);
    }

    @Test
    void negativeWarmUp_isRefused() {
        assertThatThrownBy(() -> CompressionOptions.inTwoSteps(new OneBit()).withWarmUp(-1))
                .isInstanceOf(InvalidCallException.class);
    }
}
