package io.reactivecomm.nccl.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.nccl.doubles.CudaDoubleLibrary;
import io.reactivecomm.testkit.NeedsGcc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Loading the driver, each time in a JVM of its own; they all run at the same time. */
@ExtendWith(NeedsGcc.class)
class CudaDriverTest {

    @TempDir
    static Path temporary;

    private static final List<CudaChild> LOADING = new ArrayList<>();
    private static CudaChild withoutDouble;
    private static CudaChild withoutNatives;
    private static CudaChild withoutDevice;
    private static CudaChild touching;

    @BeforeAll
    static void start() {
        CudaDoubleLibrary.built();
        withoutDouble = CudaChild.start(CudaChild.Program.SYSTEM, true, temporary);
        withoutNatives = CudaChild.start(CudaChild.Program.DOUBLE, false, temporary);
        withoutDevice = CudaChild.start(CudaChild.Program.NO_DEVICE, true, temporary);
        touching = CudaChild.start(CudaChild.Program.TOUCH, true, temporary);
        LOADING.add(CudaChild.start(CudaChild.Program.DOUBLE, true, temporary));
        LOADING.add(CudaChild.start(CudaChild.Program.DOUBLE, true, temporary));
    }

    @AfterAll
    static void end() {
        Stream.concat(Stream.of(withoutDouble, withoutNatives, withoutDevice, touching), LOADING.stream())
                .forEach(CudaChild::end);
    }

    @Test
    void system_withoutADriver_saysSo_andWithAGpuMovesThereAndBack() throws Exception {
        String output = withoutDouble.output();
        if (output.contains("there is no CUDA driver")
                || output.contains("the CUDA driver is there and cannot be used")) {
            System.err.println("skipped: no CUDA driver");
            assertThat(output.lines().filter(line -> line.contains("CUDA driver")))
                    .hasSize(2);
            assertThat(output)
                    .satisfiesAnyOf(
                            text -> assertThat(text).contains("missing=libcuda.so.1; install NVIDIA's driver"),
                            text -> assertThat(text).contains("function=cuInit"));
        } else {
            assertThat(output).contains("moved=true");
        }
    }

    @Test
    void nativesOfJCuda_thatAreNotThere_areNamed_eachTime() throws Exception {
        assertThat(withoutNatives
                        .output()
                        .lines()
                        .filter(line -> line.contains("JCuda cannot be loaded"))
                        .toList())
                .hasSize(2)
                .allMatch(line -> line.contains("org.jcuda:jcuda-natives") && line.contains("UnsatisfiedLinkError"));
    }

    @Test
    void gpuThatIsNotThere_isNamed_andMayComeLater() throws Exception {
        assertThat(withoutDevice.output())
                .contains(
                        "function=cuInit, error=CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected), code=100; look whether nvidia-smi")
                .contains("devices=2");
    }

    @Test
    void processesThatLoadAtTheSameTime_doNotDisturbEachOther_andLeaveNothing() throws Exception {
        for (CudaChild each : LOADING) {
            assertThat(each.output()).contains("version=12060, devices=4, restored=true");
            assertThat(each.exitCode()).isZero();
        }
        for (CudaChild each : List.of(withoutDouble, withoutNatives, withoutDevice, touching)) {
            each.output();
        }
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void hostThatTouchesADevicesAddress_dies() throws Exception {
        assertThat(touching.output()).contains("touching").contains("SIGSEGV");
        assertThat(touching.exitCode()).isNotZero();
    }
}
