package io.reactivecomm.testkit.faults;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A process of ranks that does what the runner tells it on standard input, a line each: {@code join PLAN}, {@code begin}, {@code fault},
 * {@code release}, {@code ask}, {@code close}. What it says is {@link RunnerOutput}'s. It serves one cell after the other, and ends with
 * its input.
 */
public final class CellProgram {

    private static final Duration BOUND = Duration.ofSeconds(60);

    private final RunnerOutput talk = new RunnerOutput(System.out);
    private @Nullable CellSession session;

    private CellProgram() {}

    /** @param args a folder for files that last for a moment */
    public static void main(String[] args) throws IOException {
        CellProgram program = new CellProgram();
        program.warmUp(Path.of(args[0]));
        program.talk.say(RunnerOutput.UP);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                program.obey(line);
            }
        }
        System.exit(0);
    }

    /** So that what is taken once for a process is there before anything is counted, and nothing waits for classes afterwards. */
    private void warmUp(Path folder) throws IOException {
        Path file = folder.resolve("warm-up-" + ProcessHandle.current().pid());
        Mono.usingWhen(
                        ReactiveComm.connect(CommConfig.of("file://" + file, 0, 1)),
                        ProcessGroup::barrier,
                        alone -> Mono.fromRunnable(alone::close).subscribeOn(Schedulers.boundedElastic()))
                .block(BOUND);
        Files.deleteIfExists(file);
    }

    private void obey(String line) {
        if (line.startsWith("join ")) {
            session = new CellSession(RankPlan.parse(line.substring("join ".length())), talk);
            session.join();
            return;
        }
        CellSession now = session;
        if (now == null) {
            throw new IllegalStateException("not joined: line=" + line);
        }
        switch (line) {
            case "begin" -> now.begin();
            case "fault" -> now.fault();
            case "release" -> now.release();
            case "ask" -> now.ask();
            case "close" -> now.close();
            default -> throw new IllegalArgumentException("unknown: line=" + line);
        }
    }
}
