package io.reactivecomm.samples.programs.world;

import java.util.Map;
import java.util.Optional;

/**
 * Ends this process when the one that started it has gone without ending it, as after {@code kill -9}: a rank left alone would hold its
 * memory until its peers are gone too.
 */
final class LauncherWatch {

    private static final String LAUNCHER_ID = "RCOMM_SAMPLE_LAUNCHER";

    /** What a shell reports for SIGTERM, which the launcher would have sent. */
    private static final int TERMINATED = 128 + 15;

    private LauncherWatch() {}

    /** {@return the variables by which a rank knows this process as its launcher} */
    static Map<String, String> variables() {
        return Map.of(LAUNCHER_ID, Long.toString(ProcessHandle.current().pid()));
    }

    /** Watches the launcher that the environment names, if it names one. */
    static void begin(Map<String, String> environment) {
        Optional.ofNullable(environment.get(LAUNCHER_ID))
                .flatMap(id -> ProcessHandle.of(Long.parseLong(id)))
                .ifPresent(launcher ->
                        launcher.onExit().thenRun(() -> Runtime.getRuntime().halt(TERMINATED)));
    }
}
