package io.reactivecomm.nccl.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.NeedsGcc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A case over the double of the CUDA driver: nothing is left after it, and CUDA was used without a fault. */
@ExtendWith(NeedsGcc.class)
abstract class CudaCase {

    static final Duration LIMIT = Duration.ofSeconds(20);

    /** Small, so that moves have many pieces. */
    static final int BLOCK_BYTES = 1 << 15;

    final CudaDouble cuda = CudaDouble.JVM;
    CudaMemory memory;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<CudaMemory> memories = new ArrayList<>();
    private final Map<CudaDouble.Held, Long> heldBefore = new EnumMap<>(CudaDouble.Held.class);
    private int blocksBefore;

    @BeforeEach
    void open() {
        cuda.forgetFaults();
        for (CudaDouble.Held what : CudaDouble.Held.values()) {
            heldBefore.put(what, cuda.held(what));
        }
        blocksBefore = CudaBlocks.JVM.held();
        memory = another("test");
    }

    /** {@return the memory of one more rank} */
    final CudaMemory another(String owner) {
        CudaMemory made = new CudaMemory(0, owner, BLOCK_BYTES);
        memories.add(made);
        made.device(0);
        return made;
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        cuda.fail("", 0, 0, 0);
        for (int device = 0; device < 4; device++) {
            cuda.hold(device, false);
        }
        for (AutoCloseable each : open) {
            each.close();
        }
        memories.forEach(CudaMemory::close);
        for (CudaMemory each : memories) {
            for (CudaDevice device : each.devices()) {
                device.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
        }
        assertThat(cuda.faults()).isEmpty();
        for (CudaDouble.Held what : CudaDouble.Held.values()) {
            assertThat(cuda.held(what)).as(what.name()).isEqualTo(heldBefore.get(what));
        }
        assertThat(CudaBlocks.JVM.held()).isEqualTo(blocksBefore);
    }

    /** {@return what is closed after the case} */
    final <T extends AutoCloseable> T kept(T closeable) {
        open.add(closeable);
        return closeable;
    }

    static Device gpu(int index) {
        return new Device(CudaMemory.KIND, index);
    }

    final Tensor zeroed(Device device, DType type, long count) {
        return kept(device.equals(Device.CPU) ? Tensor.allocate(type, count) : memory.allocate(device, type, count));
    }

    final Tensor filled(DType type, long count) {
        Tensor tensor = zeroed(Device.CPU, type, count);
        Inputs.fill(tensor.segment(), type, 3, 1);
        return tensor;
    }

    /** {@return a device's tensor of those elements} */
    final CudaTensor of(int device, float... values) {
        CudaTensor there = (CudaTensor) zeroed(gpu(device), DType.FLOAT32, values.length);
        moved(Move.copy(kept(Tensor.of(values)), there));
        return there;
    }

    final void moved(Move... moves) {
        memory.move(List.of(moves)).completed().block(LIMIT);
    }

    /** As a group does it: what is the host's is none of the memory's. */
    final void movedAnywhere(List<Move> moves) {
        Map<Boolean, List<Move>> byHost = moves.stream().collect(Collectors.partitioningBy(CudaCase::isOfHost));
        HostMoves.run(byHost.get(true));
        memory.move(byHost.get(false)).completed().block(LIMIT);
    }

    private static boolean isOfHost(Move move) {
        return move.to().device().equals(Device.CPU)
                && (move.from() == null || move.from().device().equals(Device.CPU));
    }

    static byte[] bytes(Tensor tensor) {
        return tensor.view(DType.UINT8, tensor.byteSize()).toByteArray();
    }

    /** Runs something on the thread of a device that launches, and waits for it. */
    static void onLaunches(CudaDevice device, Runnable task) {
        CompletableFuture.runAsync(task, device.launches())
                .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join();
    }
}
