package io.reactivecomm.nccl.cuda;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.doubles.CudaDouble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A JVM of its own for what a process does once: loading JCuda, or dying. */
final class CudaChild {

    private static final int LIMIT_SECONDS = 60;

    private final Process process;
    private @Nullable String said;

    private CudaChild(Process process) {
        this.process = process;
    }

    /** The program of a child. */
    enum Program {

        /** Loads the driver that the system has; with a GPU it moves elements there and back. */
        SYSTEM {
            @Override
            void run() {
                load();
                RealGpu.run();
            }
        },
        /** Loads the double. */
        DOUBLE {
            @Override
            void run() {
                requireLoaded(CudaDouble.JVM);
                String before = System.getProperty("java.io.tmpdir");
                load();
                System.out.println("version=" + CudaDriver.load().version() + ", devices="
                        + CudaDriver.load().devices() + ", restored="
                        + before.equals(System.getProperty("java.io.tmpdir")));
            }
        },
        /** Has no GPU at first. */
        NO_DEVICE {
            @Override
            void run() {
                CudaDouble.JVM.devices(0);
                try {
                    CudaDriver.load();
                } catch (UnsupportedCollectiveException e) {
                    System.out.println(e.getMessage());
                }
                CudaDouble.JVM.devices(2);
                System.out.println("devices=" + CudaDriver.load().devices());
            }
        },
        /** Touches a device's address, as no host can. */
        TOUCH {
            @Override
            void run() {
                requireLoaded(CudaDouble.JVM);
                try (CudaMemory memory = CudaMemory.open(0, "child");
                        Tensor tensor = memory.allocate(new Device(CudaMemory.KIND, 0), DType.INT32, 1)) {
                    System.out.println("touching");
                    System.out.println(MemorySegment.ofAddress(tensor.address())
                            .reinterpret(Integer.BYTES)
                            .get(ValueLayout.JAVA_INT, 0));
                }
            }
        };

        abstract void run();

        static void requireLoaded(CudaDouble loaded) {
            if (loaded == null) {
                throw new IllegalStateException("the double is not loaded");
            }
        }

        /** Twice: what is missing is said again, though JCuda's own error is another then. */
        static void load() {
            for (int i = 0; i < 2; i++) {
                try {
                    CudaDriver.load();
                } catch (UnsupportedCollectiveException e) {
                    System.out.println(e.getMessage());
                    if (i == 1) {
                        System.exit(0);
                    }
                }
            }
        }
    }

    /** The part that is done on a GPU, where there is one. */
    private static final class RealGpu {

        private static void run() {
            try (CudaMemory memory = CudaMemory.open(0, "child");
                    Tensor given = Tensor.allocate(DType.FLOAT32, 5_000_003);
                    Tensor there = memory.allocate(new Device(CudaMemory.KIND, 0), DType.FLOAT32, 5_000_003);
                    Tensor back = Tensor.allocate(DType.FLOAT64, 5_000_003)) {
                given.segment().fill((byte) 1);
                memory.move(List.of(Move.copy(given, there)));
                memory.move(List.of(Move.scaled(there, there, 2)));
                memory.move(List.of(Move.copy(there, back))).completed().block();
                double expected = 2 * given.segment().get(ValueLayout.JAVA_FLOAT, 0);
                System.out.println("moved=" + (back.toDoubleArray()[5_000_002] == expected) + ", byWords="
                        + memory.device(0).writesWords());
            }
        }
    }

    public static void main(String[] arguments) {
        Program.valueOf(arguments[0]).run();
        System.exit(0);
    }

    /** @param isWhole whether JCuda's natives are on its class path */
    static CudaChild start(Program program, boolean isWhole, Path temporary) {
        String classPath = Stream.of(System.getProperty("java.class.path").split(":"))
                .filter(each -> isWhole || !each.contains("jcuda-natives"))
                .collect(Collectors.joining(":"));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=/dev/null",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + temporary,
                "--add-modules",
                "jdk.incubator.vector",
                "-cp",
                classPath,
                CudaChild.class.getName(),
                program.name()));
        try {
            return new CudaChild(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException("a child cannot be started: program=" + program, e);
        }
    }

    /** {@return what it has said, once it has ended} */
    synchronized String output() throws IOException, InterruptedException {
        if (said == null) {
            said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("a child does not end: output=" + said);
        }
        return said;
    }

    int exitCode() {
        return process.exitValue();
    }

    void end() {
        process.destroyForcibly();
    }
}
