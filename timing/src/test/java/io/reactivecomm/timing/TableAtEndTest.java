package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** RCOMM_COMMS_LOG prints its table once for each rank that has a logger of its own. */
class TableAtEndTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int RANKS = 2;

    private final List<String> printed = new CopyOnWriteArrayList<>();
    private final CommsLogger logger = CommsLogger.printing(CommsLoggerOptions.DEFAULT, printed::add);

    private LocalWorld world() {
        return ReactiveComm.local(
                RANKS, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withObserver(logger));
    }

    private static void allReduce(LocalWorld world) {
        Flux.fromIterable(world.groups())
                .flatMap(group -> group.allReduce(Tensor.allocate(DType.FLOAT32, 10), ReduceOp.SUM))
                .blockLast(LIMIT);
    }

    @Test
    void worldThatIsClosed_printsTheTableOnce() {
        try (LocalWorld world = world()) {
            allReduce(world);
            assertThat(printed).isEmpty();
        }
        assertThat(printed)
                .singleElement()
                .satisfies(table ->
                        assertThat(table).contains("all-reduce", "count").endsWith(System.lineSeparator()));
    }

    @Test
    void worldThatFailed_printsTheTableAsItIsClosed() {
        try (LocalWorld world = world()) {
            allReduce(world);
            world.groups().getFirst().abort("enough");
        }
        assertThat(printed).singleElement().satisfies(table -> assertThat(table).contains("all-reduce"));
    }

    @Test
    void worldWithoutCalls_printsATableOfNone() {
        world().close();
        assertThat(printed)
                .singleElement()
                .satisfies(table -> assertThat(table).contains("rank").doesNotContain("all-reduce"));
    }

    @Test
    void secondWorld_printsWhatThereIsByThen() {
        for (int i = 0; i < 2; i++) {
            try (LocalWorld world = world()) {
                allReduce(world);
            }
        }
        assertThat(printed).hasSize(2);
    }

    @Test
    void loggerOfTheProgram_printsNothing() {
        CommsLogger own = CommsLogger.of(CommsLoggerOptions.DEFAULT);
        try (LocalWorld world = ReactiveComm.local(
                RANKS, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withObserver(own))) {
            allReduce(world);
        }
        assertThat(printed).isEmpty();
    }

    @Test
    @Timeout(120)
    void program_thatClosesOnTheLoop_printsTheTableOnce() throws Exception {
        requireTableOnce(End.CLOSES_ON_THE_LOOP);
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource(End.class)
    @Timeout(120)
    void program_printsTheTableOnce_howeverItEnds(End end) throws Exception {
        requireTableOnce(end);
    }

    private static void requireTableOnce(End end) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        end.name())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
            assertThat(errors).containsOnlyOnce("# calls of rank 0 of 1").containsOnlyOnce("all-reduce");
        } finally {
            process.destroyForcibly();
        }
    }

    enum End {
        CLOSES {
            @Override
            void end(ProcessGroup group) {
                group.close();
                group.close();
            }
        },
        CLOSES_ON_THE_LOOP {
            @Override
            void end(ProcessGroup group) {
                group.barrier().doOnNext(work -> group.close()).block(LIMIT);
            }
        },
        EXITS {
            @Override
            void end(ProcessGroup group) {
                System.exit(0);
            }
        },
        ABORTS_AND_THROWS {
            @Override
            void end(ProcessGroup group) {
                group.abort("enough");
                throw new IllegalStateException("thrown by the program");
            }
        };

        abstract void end(ProcessGroup group);
    }

    /** A program of one rank, whose configuration comes from an environment. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) {
            CommConfig config =
                    CommConfig.fromEnvironment(Map.of("RANK", "0", "WORLD_SIZE", "1", "RCOMM_COMMS_LOG", "on"));
            LocalWorld world = ReactiveComm.local(1, config);
            ProcessGroup group = world.groups().getFirst();
            group.allReduce(Tensor.allocate(DType.FLOAT32, 10), ReduceOp.SUM).block(LIMIT);
            End.valueOf(args[0]).end(group);
        }
    }
}
