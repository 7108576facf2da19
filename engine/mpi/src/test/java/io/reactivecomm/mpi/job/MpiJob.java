package io.reactivecomm.mpi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One run of {@link RankMain} by an mpirun. */
final class MpiJob {

    /** Longer than a rank waits for anything. */
    static final long LIMIT_SECONDS = 120;

    private MpiJob() {}

    /**
     * The end of a job.
     *
     * @param exitCode mpirun's
     * @param output of all ranks, and of mpirun
     */
    record End(int exitCode, String output) {

        /** {@return how many ranks have said so} */
        long said(String line) {
            return output.lines().filter(line::equals).count();
        }
    }

    /** {@return the end of a job of those cases; it and its ranks are ended if it takes too long} */
    static End run(MpiInstallation mpi, int ranks, boolean survive, String... cases)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(mpi.command(ranks, survive));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), RankMain.class.getName()));
        command.addAll(List.of(cases));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(mpi.environment());
        builder.environment().put("RCOMM_BACKEND", "mpi");
        builder.environment().keySet().removeAll(List.of("RANK", "WORLD_SIZE", "MASTER_ADDR"));
        Path output = Files.createTempFile("mpi-job", ".out");
        Process job = builder.redirectOutput(output.toFile()).start();
        try {
            boolean hasEnded = job.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            String text = Files.readString(output);
            assertThat(hasEnded)
                    .as("a job takes too long: cases=" + List.of(cases) + ", output=" + text)
                    .isTrue();
            return new End(job.exitValue(), text);
        } finally {
            // Its ranks may be stopped, or have survived it.
            List<ProcessHandle> all = job.descendants().toList();
            job.destroyForcibly();
            all.forEach(ProcessHandle::destroyForcibly);
            Files.delete(output);
        }
    }
}
