package io.reactivecomm.samples.programs.world;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Ranks as threads of this JVM. */
final class RankThreads {

    private final RankProgram program;
    private final AtomicReference<@Nullable RuntimeException> firstFailure = new AtomicReference<>();

    private RankThreads(RankProgram program) {
        this.program = program;
    }

    /** Runs a program on every rank of a new world and returns when all have ended; throws what the first to fail threw. */
    static void run(int worldSize, RankProgram program, RankDevices devices) {
        RankThreads ranks = new RankThreads(program);
        try (LocalWorld world = ReactiveComm.local(worldSize, devices.backend().apply(settings()));
                ExecutorService threads = Executors.newThreadPerTaskExecutor(
                        Thread.ofPlatform().name("rank-", 0).factory())) {
            world.groups().forEach(group -> threads.execute(() -> ranks.runOne(group)));
        }
        RuntimeException failure = ranks.firstFailure.get();
        if (failure != null) {
            throw failure;
        }
    }

    /** {@return what the environment says of calls; its place is of no account, but has to be one} */
    private static CommConfig settings() {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.putAll(Map.of(
                "RANK",
                "0",
                "WORLD_SIZE",
                "1",
                "MASTER_ADDR",
                "127.0.0.1",
                "RCOMM_MASTER_PORT",
                Integer.toString(CommConfig.DEFAULT_PORT)));
        return CommConfig.fromEnvironment(environment);
    }

    private void runOne(ProcessGroup group) {
        try {
            program.run(group);
        } catch (RuntimeException e) {
            firstFailure.compareAndSet(null, e);
            group.abort("rank " + group.rank() + " failed: " + CommException.textOf(e));
        }
    }
}
