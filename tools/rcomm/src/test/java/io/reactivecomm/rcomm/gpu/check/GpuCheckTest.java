package io.reactivecomm.rcomm.gpu.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.nccl.doubles.CudaDoubleLibrary;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.nccl.doubles.NcclDoubleLibrary;
import io.reactivecomm.testkit.NeedsGcc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The check over both doubles, as it is run on a GPU: with its program in C and its two processes, which find the doubles by the environment. */
@ExtendWith(NeedsGcc.class)
class GpuCheckTest {

    private static final String LIBRARY = "RCOMM_NCCL_LIBRARY";

    private static String row(List<String> said, String name) {
        return said.stream()
                .filter(line -> line.startsWith(name + ": "))
                .findFirst()
                .orElseThrow(() -> new AssertionError(said));
    }

    private static List<String> overDoubles(String failing, Map<String, String> more) throws Exception {
        Map<String, String> environment = new HashMap<>(more);
        environment.putAll(doubles());
        return GpuCheckChild.run(GpuCheckChild.class, List.of(failing), environment);
    }

    private static Map<String, String> doubles() {
        return Map.of(
                "LD_LIBRARY_PATH",
                CudaDoubleLibrary.built().getParent().toString(),
                LIBRARY,
                NcclDoubleLibrary.shared(NcclDoubleDialect.NCCL).toString());
    }

    @Test
    void doubles_allRowsAreMeasured_withoutAFault() throws Exception {
        List<String> said = overDoubles("", Map.of("DOUBLE_NCCL_VERSION", "23003"));
        assertThat(said).noneMatch(line -> line.contains("skipped: ") || line.contains("failed: "));
        assertThat(row(said, "driver"))
                .isEqualTo("driver: cuda=12.6, gpus=4, gpu=Double of a GPU 0, compute=9.0, memoryPools=true");
        assertThat(row(said, "library")).contains("kind=NCCL, version=23003");
        assertThat(row(said, "symbols")).contains("missing=ncclSetDevice");
        assertThat(row(said, "completion")).matches("completion: markMicros=[0-9.]+, eventMicros=[0-9.]+");
        assertThat(row(said, "pairs")).contains("pairs=40, groupedIssuedMicros=");
        assertThat(row(said, "java-c"))
                .contains("javaGroupedMicros=", "cGroupedMicros=", "ratio=", "goal=1.05, isMet=", "compiler=");
        assertThat(row(said, "overlap")).contains("computeMicros=", "copiesMicros=", "bothMicros=", "hidden=");
        assertThat(row(said, "moves")).contains("bytes=", "packToCopy=", "castToCopy=");
        assertThat(row(said, "two-ranks")).contains("by=NCCL_MULTI_RANK_GPU_ENABLE, words=65536");
        assertThat(row(said, "faults")).isEqualTo("faults: []");
        assertThat(said).filteredOn(line -> line.startsWith("held ")).hasSize(6).allMatch(line -> line.endsWith(": 0"));
    }

    @Test
    @Tag("thorough")
    void whatIsNotThere_isSkipped_andWhatFailsIsSaid_whileTheOthersAreMeasured() throws Exception {
        List<String> said = overDoubles("cuLaunchKernel", Map.of("DOUBLE_NCCL_VERSION", "22803", "PATH", "/nowhere"));
        assertThat(row(said, "java-c")).isEqualTo("java-c: skipped: no C compiler: tried=[cc, gcc, clang, nvcc]");
        assertThat(row(said, "overlap"))
                .isEqualTo(
                        "overlap: failed: a function of CUDA failed: function=cuLaunchKernel, error=CUDA_ERROR_ILLEGAL_ADDRESS");
        assertThat(row(said, "two-ranks"))
                .contains("skipped: this NCCL allows no two ranks on one GPU: rank=", "Duplicate GPU detected");
        assertThat(row(said, "pairs")).contains("pairs=40");
        assertThat(said).filteredOn(line -> line.startsWith("held ")).hasSize(6).allMatch(line -> line.endsWith(": 0"));
    }

    @Test
    void whatHasNotBeenDone_isNotVerified() throws Exception {
        assertThat(GpuCheckChild.run(UndoneChecks.class, List.of(), doubles()))
                .anyMatch(line ->
                        line.equals("pairs: a message to self is not received as it was sent: message=0, word=0"))
                .anyMatch(line -> line.equals("copies: a copy to the device and back is not what was sent: byte=1"))
                .anyMatch(line -> line.startsWith("kernel: a kernel computes wrongly: thread=0, turns=8, found=1"))
                .anyMatch(
                        line -> line.equals(
                                "program: the program in C has failed: code=4, said=a message to self is not received as it was sent"));
    }

    @Test
    @Tag("thorough")
    void driverThatCannotBeUsed_isAFailureOfItsRow_andTheOthersAreSkipped() throws Exception {
        List<String> said = overDoubles("cuInit", Map.of());
        assertThat(row(said, "driver"))
                .startsWith("driver: failed: the CUDA driver is there and cannot be used: function=cuInit");
        assertThat(said)
                .filteredOn(line -> line.endsWith(": skipped: the CUDA driver cannot be used"))
                .hasSize(6);
    }

    @Test
    void systemWithoutADriver_isSaid_byEachRowThatNeedsOne() throws Exception {
        String library = NcclDoubleLibrary.shared(NcclDoubleDialect.NCCL).toString();
        List<String> said = GpuCheckChild.run(GpuCheckChild.class, List.of(), Map.of(LIBRARY, library));
        assertThat(row(said, "library")).contains("kind=NCCL");
        if (row(said, "driver").startsWith("driver: skipped: ")) {
            System.err.println("skipped: no CUDA driver");
            assertThat(said)
                    .filteredOn(line -> line.endsWith(": skipped: no CUDA driver"))
                    .extracting(line -> line.substring(0, line.indexOf(':')))
                    .containsExactly("driver", "completion", "pairs", "java-c", "overlap", "moves", "two-ranks");
        }
    }
}
