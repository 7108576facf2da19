package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.faults.HeldResources;
import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.logging.log4j.core.config.Configurator;
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

    /** Spark's own: where results pass through a shuffle, an executor connects to the other one when it first reads from it. */
    private static final int SOCKETS_OF_SPARK = 2;

    /** What a world has just left may take a moment to end. */
    private static final int MOST_LOOKS = 10;

    @TempDir
    private static Path folder;

    private static Path home;
    private static SparkSession session;
    private static SparkContext context;

    @BeforeAll
    static void open() throws IOException {
        Path debug = logging("executor.properties", "Console");
        Configurator.reconfigure(
                logging("driver.properties", "File", "appender.out.fileName = " + folder.resolve("driver.log"))
                        .toUri());
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

    /** {@return a configuration of Log4j for all messages at DEBUG} */
    private static Path logging(String name, String type, String... more) throws IOException {
        return Files.writeString(folder.resolve(name), """
                rootLogger.level = debug
                rootLogger.appenderRef.out.ref = out
                appender.out.type = %s
                appender.out.name = out
                appender.out.layout.type = PatternLayout
                appender.out.layout.pattern = %%level %%c %%m%%n%%ex
                %s
                """.formatted(type, String.join("\n", more)));
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

    /** The things that an executor has while a world runs in it, counted by kind. */
    private record Holdings(long pid, TreeMap<String, Long> counts) implements Serializable {

        private static Holdings here() throws IOException, JMException {
            TreeMap<String, Long> counts = new TreeMap<>(HeldResources.now().counts());
            try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"));
                    Stream<Path> named = Files.list(Path.of("/dev/shm"))) {
                counts.put("files", open.filter(Holdings::isFile).count());
                counts.put(
                        "named shared memory",
                        named.filter(each -> each.getFileName().toString().startsWith("reactive-comm"))
                                .count());
            }
            counts.put("class loaders", countLoaders());
            return new Holdings(ProcessHandle.current().pid(), counts);
        }

        /** The JVM opens jars when it likes. */
        private static boolean isFile(Path descriptor) {
            try {
                String target = Files.readSymbolicLink(descriptor).toString();
                return target.startsWith("/") && !target.endsWith(".jar");
            } catch (IOException e) {
                return false;
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
                    .map(line -> line.strip().split("\\s+"))
                    .filter(words -> words.length > 3 && words[3].endsWith("ClassLoader"))
                    .mapToLong(words -> Long.parseLong(words[1]))
                    .sum();
        }

        /** {@return what there is more of than in the same process before} */
        private List<String> beyond(List<Holdings> before) {
            Holdings first = before.stream()
                    .filter(each -> each.pid == pid)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("an executor was replaced"));
            return counts.entrySet().stream()
                    .filter(each -> each.getValue()
                            > first.counts.getOrDefault(each.getKey(), 0L)
                                    + (each.getKey().equals("socket") ? SOCKETS_OF_SPARK : 0))
                    .map(each -> each.getKey() + ": " + first.counts + " then " + counts)
                    .toList();
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
        List<String> more = List.of("not looked at");
        for (int i = 0; i < MOST_LOOKS && !more.isEmpty(); i++) {
            more = world().stream()
                    .flatMap(after -> after.beyond(before).stream())
                    .toList();
        }
        assertThat(more).as("left by %d worlds", WORLDS).isEmpty();
        assertThat(before)
                .allSatisfy(
                        each -> assertThat(each.counts().get("class loaders")).isPositive());
    }

    /** A made-up token is 64 hexadecimal digits; a record of the meeting is text of 1,368 characters. */
    @Test
    void tokenAndRecords_areInNoLog() throws IOException {
        Pattern secret = Pattern.compile("\\b[0-9a-f]{64}\\b|[A-Za-z0-9+/]{300}");
        assertThat("token=" + "0f".repeat(32)).containsPattern(secret);
        world();

        List<Path> logs;
        try (Stream<Path> files = Files.walk(home.resolve("work").resolve(context.applicationId()))) {
            logs = Stream.concat(
                            Stream.of(folder.resolve("driver.log")),
                            files.filter(each -> each.getFileName().toString().startsWith("std")))
                    .toList();
        }
        assertThat(Files.readString(logs.getFirst(), StandardCharsets.ISO_8859_1))
                .as("the driver's log")
                .contains("DEBUG org.apache.spark.scheduler");
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
