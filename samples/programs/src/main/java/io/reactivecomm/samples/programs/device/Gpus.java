package io.reactivecomm.samples.programs.device;

import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.nccl.NcclEngineProvider;
import io.reactivecomm.nccl.NcclProbe;
import io.reactivecomm.nccl.cuda.CudaDriver;
import io.reactivecomm.nccl.doubles.CCompiler;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.nccl.doubles.NcclDoubleLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs of this process with the NCCL that serves them, or the doubles that stand for both: all or nothing, for a double of the one knows nothing
 * of the other's real memory. Found once, before JCuda is linked to a driver.
 *
 * @param description what they are, for people
 * @param count how many
 * @param areDoubles whether they are doubles
 * @param ncclVersion by the library's own number
 */
public record Gpus(String description, int count, boolean areDoubles, int ncclVersion) {

    /** There where the system has a GPU of NVIDIA's. */
    private static final Path GPUS = Path.of("/dev/nvidiactl");

    private static @Nullable Gpus found;

    /**
     * {@return those of this process}
     *
     * @throws IllegalArgumentException if there are none, and no compiler for doubles
     */
    public static synchronized Gpus ofProcess() {
        Gpus known = found;
        if (known == null) {
            known = find();
            found = known;
        }
        return known;
    }

    /** NCCL first: a driver that is loaded stays, and leaves a double no room. */
    private static Gpus find() {
        boolean hasNccl = hasNccl();
        Optional<String> lack = hasNccl || !Files.exists(GPUS) ? DriverProbe.lack() : Optional.of("no NCCL library");
        return lack.isPresent() ? doubles(lack.get()) : real();
    }

    private static boolean hasNccl() {
        try {
            return NcclProbe.open(System.getenv()).isNvidias();
        } catch (UnsupportedCollectiveException e) {
            return false;
        }
    }

    private static Gpus real() {
        CudaDriver driver = CudaDriver.load();
        NcclProbe nccl = NcclProbe.open(System.getenv());
        return new Gpus(driver.model(0) + ", NCCL " + nccl.versionText(), driver.devices(), false, nccl.version());
    }

    private static Gpus doubles(String lack) {
        if (!CCompiler.isThere()) {
            throw new IllegalArgumentException(
                    "there is no GPU to use, and no compiler for doubles of CUDA and NCCL: device=cuda, gpu=" + lack
                            + ", compiler=no gcc; install NVIDIA's driver and NCCL, or gcc (on Debian: apt-get install gcc libc6-dev),"
                            + " or leave out --device");
        }
        CudaDouble.JVM.devices(CudaDouble.MOST_DEVICES);
        System.setProperty(
                NcclProbe.PROPERTY,
                NcclDoubleLibrary.shared(NcclDoubleDialect.NCCL).toString());
        int version = NcclProbe.open(System.getenv()).version();
        return new Gpus("double of CUDA and NCCL (" + lack + ")", CudaDouble.MOST_DEVICES, true, version);
    }

    /**
     * {@return the variables of the process of a rank: where GPUs are shared, its device, and what has NCCL allow it}
     *
     * @param environment of all of them
     */
    Map<String, String> variables(int rank, int ranks, Map<String, String> environment) {
        boolean isTold = environment.containsKey(NcclEngineProvider.DEVICE);
        if (ranks <= count && !isTold) {
            return Map.of();
        }
        Map<String, String> variables = new HashMap<>(areDoubles ? Map.of() : SharedGpu.variables(ncclVersion, rank));
        if (!isTold) {
            variables.put(NcclEngineProvider.DEVICE, Integer.toString(rank % count));
        }
        return variables;
    }
}
