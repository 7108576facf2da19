package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.doubles.CudaDouble;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The check in a JVM of its own, whose environment says where driver and library are: so do the processes that it starts find them. */
public final class GpuCheckChild {

    private static final int LIMIT_SECONDS = 120;
    private static final int ILLEGAL_ADDRESS = 700;
    private static final CheckSizes SMALL = new CheckSizes(40, 64, 3, 3, 1 << 16);

    private GpuCheckChild() {}

    public static void main(String[] arguments) {
        boolean isOverDouble = arguments.length > 0;
        if (isOverDouble) {
            CudaDouble.JVM.fail(arguments[0], ILLEGAL_ADDRESS, 0, Integer.MAX_VALUE);
        }
        GpuCheck.run(SMALL, System.getenv(), List.of(), row -> System.out.println(row.name() + ": " + row.text()));
        if (isOverDouble) {
            System.out.println("faults: " + CudaDouble.JVM.faults());
            for (CudaDouble.Held what : CudaDouble.Held.values()) {
                System.out.println("held " + what + ": " + CudaDouble.JVM.held(what));
            }
        }
        System.exit(0);
    }

    /**
     * {@return what it has said, a line for each row}
     *
     * @param program whose main method runs
     * @param failing none to leave the driver alone that the system has; else the function of the double that fails, which may be ""
     */
    public static List<String> run(Class<?> program, List<String> failing, Map<String, String> environment)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(failing);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("RCOMM_NCCL_LIBRARY");
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException("a check does not end well: said=" + said);
            }
            return said.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
