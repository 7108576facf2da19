package io.reactivecomm.nccl.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceKernel;
import io.reactivecomm.device.KernelLaunch;
import io.reactivecomm.device.KernelQueue;
import io.reactivecomm.device.Move;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Test;

/** Kernels on a device: their order, their modules, and the moves that are one. */
class CudaKernelTest extends CudaCase {

    private static final int ROWS = 80;

    private static byte[] resource(String name) throws IOException {
        try (InputStream bytes = CudaKernelTest.class.getResourceAsStream(name)) {
            return bytes.readAllBytes();
        }
    }

    private static String ptx() throws IOException {
        return new String(resource("moves.ptx"), StandardCharsets.US_ASCII);
    }

    private KernelQueue queue() {
        return memory.kernels().orElseThrow();
    }

    /** {@return the kernel of moves, told to multiply FLOAT32 by two from one tensor to another} */
    private static KernelLaunch doubling(String code, Tensor from, Tensor to) {
        List<Object> arguments = new ArrayList<>(List.of(from, to, from.count(), 0L, 2.0, 6, 6));
        IntStream.range(1, ROWS).forEach(row -> arguments.addAll(List.of(0L, 0L, 0L, 0L, 0.0, 0, 0)));
        arguments.add(1);
        arguments.add(0);
        return new KernelLaunch(new DeviceKernel(code, "move_rows"), 1, 256, arguments);
    }

    @Test
    void kernels_followEachOther_andMovesFollowThem_withoutAWait() throws IOException {
        Tensor a = of(0, 1, 2, 3);
        Tensor b = zeroed(gpu(0), DType.FLOAT32, 3);
        Tensor back = zeroed(Device.CPU, DType.FLOAT32, 3);
        cuda.hold(0, true);
        var first = queue().launch(List.of(doubling(ptx(), a, b), doubling(ptx(), b, a)));
        var second = queue().launch(List.of(doubling(ptx(), a, b)));
        var third = memory.move(List.of(Move.copy(b, back)));
        cuda.hold(0, false);
        third.completed().block(LIMIT);
        first.completed().block(LIMIT);
        second.completed().block(LIMIT);
        assertThat(back.toFloatArray()).containsExactly(8, 16, 24);
    }

    @Test
    void programThatHasJCudaThrow_isNoMatterOfWhatIsNotReady() throws IOException {
        Tensor a = of(0, 1);
        Tensor b = zeroed(gpu(0), DType.FLOAT32, 1);
        JCudaDriver.setExceptionsEnabled(true);
        try {
            cuda.delay(20_000);
            queue().launch(List.of(doubling(ptx(), a, b))).completed().block(LIMIT);
        } finally {
            cuda.delay(0);
            JCudaDriver.setExceptionsEnabled(false);
        }
        assertThat(b.toFloatArray()).containsExactly(2);
    }

    @Test
    void textIsCompiledOnce_forADevice() throws IOException {
        Tensor a = of(0, 1);
        Tensor b = zeroed(gpu(0), DType.FLOAT32, 1);
        long before = cuda.calls("cuModuleLoadData");
        for (int i = 0; i < 3; i++) {
            queue().launch(List.of(doubling(ptx(), a, b))).completed().block(LIMIT);
        }
        assertThat(cuda.calls("cuModuleLoadData") - before).isEqualTo(1);
    }

    @Test
    void whatTheDriverDoesNotTake_isTheErrorOfTheHandle_andOthersGoOn() throws IOException {
        Tensor a = of(0, 1);
        Tensor b = zeroed(gpu(0), DType.FLOAT32, 1);
        assertThatThrownBy(() -> queue().launch(List.of(doubling("no PTX", a, b)))
                        .completed()
                        .block(LIMIT))
                .hasMessageContaining("cuModuleLoadData")
                .hasMessageEndingWith(
                        "look at the kernel's text, for which GPU and driver it is, and at the name of its function");
        KernelLaunch unknown = new KernelLaunch(new DeviceKernel(ptx(), "nothing"), 1, 1, List.of(a));
        assertThatThrownBy(() -> queue().launch(List.of(unknown)).completed().block(LIMIT))
                .hasMessageContaining("cuModuleGetFunction");
        queue().launch(List.of(doubling(ptx(), a, b))).completed().block(LIMIT);
        assertThat(b.toFloatArray()).containsExactly(2);
    }

    @Test
    void kernelsOfSeveralDevices_orOfNone_areRefused() throws IOException {
        KernelLaunch across = doubling(ptx(), of(0, 1), of(1, 1));
        assertThatThrownBy(() -> queue().launch(List.of(across)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("not on one device");
        assertThatThrownBy(() -> queue().launch(List.of()))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("devices=[]");
    }

    @Test
    void kernelWithoutATensor_isRefused_besideOthersToo() throws IOException {
        KernelLaunch bare = new KernelLaunch(new DeviceKernel(ptx(), "move_rows"), 1, 1, List.of(1L));
        List<KernelLaunch> launches = List.of(doubling(ptx(), of(0, 1), of(0, 1)), bare);
        assertThatThrownBy(() -> queue().launch(launches))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("kernel=move_rows, arguments=[1]");
    }

    @Test
    void movesWithinADevice_areOneKernel_upToItsRows_andDoNotCrossToTheHost() {
        DType[] types = {DType.FLOAT32, DType.FLOAT16, DType.INT8, DType.INT64};
        List<Move> moves = new ArrayList<>();
        List<float[]> expected = new ArrayList<>();
        for (int i = 0; i < 2 * ROWS + 1; i++) {
            DType type = types[i % types.length];
            Tensor from = zeroed(gpu(0), type, 1 + i * 31);
            Tensor given = filled(type, from.count());
            moved(Move.copy(given, from));
            moves.add(Move.copy(from, zeroed(gpu(0), type, from.count())));
            expected.add(given.toFloatArray());
        }
        long launches = cuda.calls("cuLaunchKernel");
        long others = cuda.calls("cuMemcpyDtoDAsync") + cuda.calls("cuMemcpyDtoHAsync");
        memory.move(moves).completed().block(LIMIT);
        assertThat(cuda.calls("cuLaunchKernel") - launches).isEqualTo(3);
        assertThat(cuda.calls("cuMemcpyDtoDAsync") + cuda.calls("cuMemcpyDtoHAsync") - others)
                .isZero();
        for (int i = 0; i < moves.size(); i++) {
            assertThat(moves.get(i).to().toFloatArray()).isEqualTo(expected.get(i));
        }
    }

    @Test
    void slicesThatBeginAnywhere_areCopiedByTheirBytes() {
        Tensor bytes = zeroed(gpu(0), DType.INT8, 64);
        Tensor given = filled(DType.INT8, 64);
        moved(Move.copy(given, bytes));
        Tensor to = zeroed(gpu(0), DType.INT8, 64);
        moved(
                Move.copy(bytes.slice(1, 17), to.slice(3, 17)),
                Move.copy(bytes.slice(20, 8), to.slice(32, 8)),
                Move.copy(bytes.slice(30, 2), to.slice(50, 2)));
        byte[] found = to.toByteArray();
        byte[] all = given.toByteArray();
        assertThat(Arrays.copyOfRange(found, 3, 20)).isEqualTo(Arrays.copyOfRange(all, 1, 18));
        assertThat(Arrays.copyOfRange(found, 32, 40)).isEqualTo(Arrays.copyOfRange(all, 20, 28));
        assertThat(Arrays.copyOfRange(found, 50, 52)).isEqualTo(Arrays.copyOfRange(all, 30, 32));
    }

    /** Who changes the one has to run {@code .ci/ptx}. */
    @Test
    void ptx_isCompiledFromTheSourceBesideIt() throws Exception {
        MessageDigest hash = MessageDigest.getInstance("SHA-256");
        hash.update(resource("/io/reactivecomm/kernel/device.h"));
        hash.update(resource("moves.cu"));
        assertThat(ptx().lines().findFirst().orElseThrow())
                .endsWith(HexFormat.of().formatHex(hash.digest()));
    }
}
