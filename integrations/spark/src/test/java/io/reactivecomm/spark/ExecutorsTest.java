package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Worlds on two executors that are processes, whose logs are at DEBUG and whose library came by spark.jars. */
@Tag("thorough")
@Timeout(600)
class ExecutorsTest {

    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int WORLDS = 50;

    /** Fewer than a leak of one for each second world would be. */
    private static final int FEW = WORLDS / 3;

    @TempDir
    private static Path folder;

    private static Path home;
    private static SparkSession session;
    private static SparkContext context;

    @BeforeAll
    static void open() throws IOException {
        Path debug = folder.resolve("debug.properties");
        Files.writeString(debug, """
                rootLogger.level = debug
                rootLogger.appenderRef.out.ref = out
                appender.out.type = Console
                appender.out.name = out
                appender.out.layout.type = PatternLayout
                appender.out.layout.pattern = %level %c %m%n%ex
                """);
        home = SparkHome.install();
        session = SparkHome.cluster("local-cluster[2,1,1024]")
                .config(
                        "spark.executor.extraJavaOptions",
                        SparkHome.FLAGS + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlog4j2.configurationFile="
                                + debug)
                .config("spark.executor.heartbeatInterval", "2s")
                .config("spark.network.timeout", "15s")
                .config("spark.network.timeoutInterval", "5s")
                .getOrCreate();
        context = session.sparkContext();
    }

    @AfterAll
    static void close() {
        session.stop();
    }

    private static long sum(ProcessGroup group, long value) {
        try (Tensor tensor = Tensor.of(new long[] {value}, 1)) {
            group.allReduce(tensor, ReduceOp.SUM).block();
            return tensor.toLongArray()[0];
        }
    }

    /** An exception whose class the executors have from the program's jar. */
    private static final class Planted extends RuntimeException {

        private Planted(String message) {
            super(message);
        }
    }

    @Test
    void exceptionOfOneProcess_isTheCause() {
        assertThatThrownBy(() -> SparkWorld.ranks(context, 2).run((rank, partition) -> {
                    if (rank.partition() == 1) {
                        throw new Planted("a planted fault");
                    }
                    return sum(rank.group(), 1);
                }))
                .isInstanceOfSatisfying(
                        SparkRankException.class, e -> assertThat(e.rank()).isEqualTo(1))
                .hasMessageContaining("failed=[0, 1]")
                .cause()
                .isInstanceOf(Planted.class)
                .hasMessage("a planted fault");
    }

    private static void awaitFiles(String prefix) {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!IntStream.range(0, 2).allMatch(rank -> Files.exists(folder.resolve(prefix + rank)))) {
            assertThat(System.nanoTime() - end)
                    .as("both ranks wrote %s", prefix)
                    .isNegative();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    @Test
    void cancelledStage_endsItsRanks() throws Exception {
        String notes = folder.toString();
        CompletableFuture<Throwable> failure = CompletableFuture.supplyAsync(() -> {
            try {
                SparkWorld.ranks(context, 2).run((rank, partition) -> {
                    Files.createFile(Path.of(notes, "begun" + rank.partition()));
                    try {
                        // Rank 1 is in no call, and rank 0 waits for its call.
                        return rank.partition() == 0
                                ? sum(rank.group(), 1)
                                : rank.group().ended().then().hasElement().block();
                    } finally {
                        Files.createFile(Path.of(notes, "ended" + rank.partition()));
                    }
                });
                return new AssertionError("it ended well");
            } catch (Exception e) {
                return e;
            }
        });
        awaitFiles("begun");
        for (int stage : context.statusTracker().getActiveStageIds()) {
            context.cancelStage(stage);
        }
        awaitFiles("ended");

        assertThat(failure.get(60, TimeUnit.SECONDS)).hasMessageContaining("cancelled");
    }

    @Test
    void stoppedExecutor_makesTheWorldRunAgain() {
        List<Integer> attempts = SparkWorld.ranks(context, 2).run((rank, partition) -> {
            sum(rank.group(), 1);
            if (rank.attempt() == 0 && rank.partition() == 1) {
                new ProcessBuilder(
                                "kill",
                                "-STOP",
                                Long.toString(ProcessHandle.current().pid()))
                        .start()
                        .waitFor();
            }
            sum(rank.group(), 1);
            return rank.attempt();
        });

        assertThat(attempts).containsExactly(1, 1);
    }

    /** What an executor has while a world runs in it. */
    private record Holdings(long pid, long threads, long files, long loaders) implements Serializable {

        private static Holdings here() throws IOException, JMException {
            try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
                return new Holdings(
                        ProcessHandle.current().pid(),
                        Thread.getAllStackTraces().keySet().stream()
                                .filter(each -> each.getName().startsWith("rcomm"))
                                .count(),
                        files.count(),
                        countLoaders());
            }
        }

        private static long countLoaders() throws JMException {
            String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
            return histogram
                    .lines()
                    .map(String::strip)
                    .filter(line -> line.contains("URLClassLoader"))
                    .mapToLong(line -> Long.parseLong(line.split("\\s+")[1]))
                    .sum();
        }
    }

    private static List<Holdings> world() {
        return SparkWorld.ranks(context, 2).run((rank, partition) -> {
            sum(rank.group(), 1);
            return Holdings.here();
        });
    }

    @Test
    void worldsOfOneExecutor_leaveNothing() {
        for (int i = 0; i < 3; i++) {
            world();
        }
        List<Holdings> before = world();
        for (int i = 0; i < WORLDS; i++) {
            world();
        }
        for (Holdings after : world()) {
            Holdings first = before.stream()
                    .filter(each -> each.pid() == after.pid())
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("an executor was replaced"));
            assertThat(after.threads()).as("threads: %s then %s", first, after).isLessThan(first.threads() + FEW);
            assertThat(after.files()).as("files: %s then %s", first, after).isLessThan(first.files() + FEW);
            assertThat(after.loaders())
                    .as("class loaders: %s then %s", first, after)
                    .isEqualTo(first.loaders());
        }
    }

    /** A made-up token is 64 hexadecimal digits; a record of the meeting is text of 1,368 characters. */
    @Test
    void tokenAndRecords_areInNoLog() throws IOException {
        Pattern secret = Pattern.compile("\\b[0-9a-f]{64}\\b|[A-Za-z0-9+/]{300}");
        assertThat("token=" + "0f".repeat(32)).containsPattern(secret);
        world();

        List<Path> logs;
        try (Stream<Path> files = Files.walk(home.resolve("work").resolve(context.applicationId()))) {
            logs = files.filter(each -> each.getFileName().toString().startsWith("std"))
                    .toList();
        }
        StringBuilder all = new StringBuilder();
        for (Path log : logs) {
            String text = Files.readString(log, StandardCharsets.ISO_8859_1);
            all.append(text);
            assertThat(secret.matcher(text).results().map(each -> line(text, each.start())))
                    .as("secrets in %s", log)
                    .isEmpty();
        }
        assertThat(all).contains("DEBUG io.netty", "DEBUG org.apache.spark", "a rank joins its world");
    }

    private static String line(String text, int position) {
        int end = text.indexOf('\n', position);
        return text.substring(text.lastIndexOf('\n', position) + 1, end < 0 ? text.length() : end);
    }
}
