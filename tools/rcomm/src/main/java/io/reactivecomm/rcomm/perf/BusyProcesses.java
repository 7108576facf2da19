package io.reactivecomm.rcomm.perf;

import io.reactivecomm.spi.RankJvmOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Processes that compute all the time, next to a measurement. */
final class BusyProcesses implements AutoCloseable {

    private final List<Process> processes = new ArrayList<>();

    private BusyProcesses() {}

    /** {@return so many processes, all of which compute by now} */
    static BusyProcesses start(int count) {
        BusyProcesses started = new BusyProcesses();
        try {
            for (int i = 0; i < count; i++) {
                started.processes.add(start());
            }
            for (Process process : started.processes) {
                process.getInputStream().read();
            }
            return started;
        } catch (IOException e) {
            started.close();
            throw new UncheckedIOException(e);
        }
    }

    private static Process start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1",
                "-Xmx16m",
                "-cp",
                ManagementFactory.getRuntimeMXBean().getClassPath(),
                BusyProgram.class.getName());
        RankJvmOptions.share(builder.environment());
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }
}
