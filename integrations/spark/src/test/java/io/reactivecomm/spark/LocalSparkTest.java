package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.GroupClosedException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.implementation.ExceptionMethod;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.Dependency;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.shuffle.MetadataFetchFailedException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Worlds in barrier stages of Spark within one JVM. */
@Timeout(120)
class LocalSparkTest {

    private static SparkSession session;
    private static JavaSparkContext context;

    @BeforeAll
    static void open() {
        session = LocalSpark.session("local[4]");
        context = JavaSparkContext.fromSparkContext(session.sparkContext());
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

    private static long total(Iterator<Integer> numbers) {
        long total = 0;
        while (numbers.hasNext()) {
            total += numbers.next();
        }
        return total;
    }

    private static JavaRDD<Integer> numbers(int count, int partitions) {
        return context.parallelize(IntStream.range(0, count).boxed().toList(), partitions);
    }

    private record Place(int rank, int size, int partition, int attempt, long sum) implements Serializable {}

    @Test
    void ranks_reduceOverTheirPartitions_andReturnInOrder() {
        List<Place> places = SparkWorld.on(numbers(100, 2))
                .run((rank, partition) -> new Place(
                        rank.group().rank(),
                        rank.group().size(),
                        rank.partition(),
                        rank.attempt(),
                        sum(rank.group(), total(partition))));

        assertThat(places).containsExactly(new Place(0, 2, 0, 0, 4950), new Place(1, 2, 1, 0, 4950));
    }

    @Test
    void rowsOfAnotherNumberOfPartitions_areShuffledToTheRanks() {
        List<Long> sums = SparkWorld.on(
                        session.createDataset(IntStream.range(0, 100).boxed().toList(), Encoders.INT())
                                .repartition(2))
                .ranks(3)
                .run((rank, partition) -> sum(rank.group(), total(partition)));

        assertThat(sums).containsExactly(4950L, 4950L, 4950L);
    }

    @Test
    void ranksWithoutData_getTheirNumber() {
        List<Integer> numbers = SparkWorld.ranks(session.sparkContext(), 3)
                .run((rank, partition) -> rank.gpus().size() + 10 * rank.group().rank() + partition.next());

        assertThat(numbers).containsExactly(0, 11, 22);
    }

    @Test
    void objects_areGathered() {
        List<List<Place>> places = SparkWorld.ranks(session.sparkContext(), 2)
                .run((rank, partition) -> rank.group()
                        .allGatherObject(new Place(rank.partition(), 2, 0, 0, 7), Place.class)
                        .block());

        assertThat(places)
                .containsExactly(
                        List.of(new Place(0, 2, 0, 0, 7), new Place(1, 2, 0, 0, 7)),
                        List.of(new Place(0, 2, 0, 0, 7), new Place(1, 2, 0, 0, 7)));
    }

    @Test
    void resultOfNull_isNull() {
        assertThat(SparkWorld.ranks(session.sparkContext(), 2)
                        .<String>run((rank, partition) -> rank.partition() == 0 ? null : "one"))
                .containsExactly(null, "one");
    }

    /** Rank 2 throws while the others wait for it; what they get is not the cause. */
    @Test
    void exceptionOfOneRank_isTheCause_andTheProgramDoesNotRunAgain() {
        Map<Integer, Integer> runs = Runs.of("exception");
        assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), 3).run((rank, partition) -> {
                    Runs.of("exception").merge(rank.partition(), 1, Integer::sum);
                    if (rank.partition() == 2) {
                        throw new IllegalStateException("the label of row 7 is missing");
                    }
                    return sum(rank.group(), 1);
                }))
                .isInstanceOfSatisfying(
                        SparkRankException.class, e -> assertThat(e.rank()).isEqualTo(2))
                .hasMessageContainingAll("rank=2", "failed=[0, 1, 2]", "the label of row 7 is missing")
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the label of row 7 is missing");

        assertThat(runs).containsOnly(Map.entry(0, 1), Map.entry(1, 1), Map.entry(2, 1));
    }

    @Test
    void otherRanks_hearTheTextOfTheException() {
        List<Throwable> heard = new ArrayList<>(Runs.HEARD);
        assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> {
                    if (rank.partition() == 1) {
                        throw new IllegalStateException("planted");
                    }
                    try {
                        return sum(rank.group(), 1);
                    } catch (RuntimeException e) {
                        Runs.HEARD.add(e);
                        throw e;
                    }
                }))
                .isInstanceOf(SparkRankException.class);

        assertThat(Runs.HEARD)
                .hasSize(heard.size() + 1)
                .last()
                .satisfies(e ->
                        assertThat(e).isInstanceOf(GroupClosedException.class).hasMessageContaining("planted"));
    }

    @Test
    void attempts_runAProgramAgain_thatFailed() {
        List<Integer> attempts = SparkWorld.ranks(session.sparkContext(), 2)
                .attempts(3)
                .run((rank, partition) -> {
                    sum(rank.group(), 1);
                    if (rank.attempt() < 2) {
                        throw new IllegalStateException("attempt " + rank.attempt());
                    }
                    return rank.attempt();
                });
        assertThat(attempts).containsExactly(2, 2);

        assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), 2)
                        .attempts(2)
                        .run((rank, partition) -> {
                            throw new IllegalStateException("attempt " + rank.attempt());
                        }))
                .hasMessageContaining("attempt 1");
    }

    private static final class Secret {}

    private static final class Unsendable extends RuntimeException {

        private final transient Object note = new Object();
        private final Object kept = new Secret();

        private Unsendable(String message) {
            super(message);
        }

        @Override
        public String getMessage() {
            return super.getMessage() + (note == kept ? "" : " of this program");
        }
    }

    @Test
    void resultOrException_thatCannotBeSerialized_isNamed() {
        assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> new Secret()))
                .isInstanceOf(SparkRankException.class)
                .hasMessageContainingAll("cannot be serialized", Secret.class.getName());
        assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> {
                    throw new Unsendable("the fault");
                }))
                .isInstanceOf(SparkRankException.class)
                .hasMessageContaining("the fault of this program")
                .rootCause()
                .satisfies(e -> assertThat(e.getStackTrace()[0].getClassName())
                        .startsWith(getClass().getName()));
    }

    /** An exception or a result whose methods fail. */
    private static final class Hostile extends RuntimeException {

        private final String failing;

        private Hostile(String failing) {
            super("a hostile exception");
            this.failing = failing;
        }

        @Override
        public String getMessage() {
            if (failing.equals("text")) {
                throw new AssertionError("planted in getMessage");
            }
            return super.getMessage();
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            if (failing.equals("write")) {
                throw new AssertionError("planted in writeObject");
            }
            out.defaultWriteObject();
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            if (failing.equals("read")) {
                throw new InvalidObjectException("planted in readObject");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "write", "read"})
    void hostileException_isTheFailureOfItsRank_once(String failing) {
        assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> {
                    Runs.of(failing).merge(rank.partition(), 1, Integer::sum);
                    if (rank.partition() == 1) {
                        throw new Hostile(failing);
                    }
                    return sum(rank.group(), 1);
                }))
                .isInstanceOfSatisfying(
                        SparkRankException.class, e -> assertThat(e.rank()).isEqualTo(1))
                .hasMessageContaining(failing.equals("text") ? Hostile.class.getName() : "a hostile exception");
        assertThat(Runs.of(failing)).containsOnly(Map.entry(0, 1), Map.entry(1, 1));
    }

    @Test
    void hostileResult_isNamed() {
        assertThatThrownBy(() ->
                        SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> new Hostile("write")))
                .isInstanceOf(SparkRankException.class)
                .hasMessageContainingAll("cannot be serialized", Hostile.class.getName(), "planted in writeObject");
        assertThatThrownBy(
                        () -> SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> new Hostile("read")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("cannot be deserialized", "planted in readObject");
    }

    private static int deeper(int depth) {
        return deeper(depth + 1) + 1;
    }

    /** Spark would end the executor for it, here the JVM of this test, and run the program again elsewhere. */
    @Test
    void recursionTooDeep_isTheFailureOfItsRank() {
        assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), 2)
                        .run((rank, partition) -> rank.partition() == 1 ? deeper(0) : sum(rank.group(), 1)))
                .isInstanceOf(SparkRankException.class)
                .hasCauseInstanceOf(StackOverflowError.class);
    }

    @Test
    void programThatInterruptsItsThread_runsOnce() {
        assertThat(SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> {
                    Thread.currentThread().interrupt();
                    return rank.attempt();
                }))
                .containsExactly(0, 0);
    }

    private static int shuffleBefore(RDD<?> rows) {
        Dependency<?> first = rows.dependencies().head();
        return first instanceof ShuffleDependency<?, ?, ?> shuffle ? shuffle.shuffleId() : shuffleBefore(first.rdd());
    }

    /** Spark makes lost rows again if a task says that it cannot read them. */
    @Test
    void rowsOfALostShuffle_makeTheWorldRunAgain() {
        JavaRDD<Integer> shuffled = numbers(100, 2).repartition(2);
        int shuffle = shuffleBefore(shuffled.rdd());
        List<Long> sums = SparkWorld.on(shuffled).run((rank, partition) -> {
            if (rank.attempt() == 0 && rank.partition() == 1) {
                throw new IllegalStateException(
                        "of the program", new MetadataFetchFailedException(shuffle, 1, "planted"));
            }
            return rank.attempt() + sum(rank.group(), total(partition));
        });
        assertThat(sums).containsExactly(4951L, 4951L);
    }

    /** Rank 0 of the first attempt outlives it, and gathers once the second attempt has met. */
    @Test
    void taskOfAnEarlierAttempt_cannotEnter() {
        JavaRDD<Integer> shuffled = numbers(100, 2).repartition(2);
        int shuffle = shuffleBefore(shuffled.rdd());
        List<Long> sums = SparkWorld.on(shuffled).run((rank, partition) -> {
            if (rank.attempt() == 0 && rank.partition() == 1) {
                throw new MetadataFetchFailedException(shuffle, 1, "planted");
            }
            if (rank.attempt() == 0) {
                Runs.MET.await(60, TimeUnit.SECONDS);
                try {
                    Runs.GATHERED.complete(BarrierTaskContext.get().allGather("of an earlier attempt"));
                } catch (Throwable e) {
                    Runs.GATHERED.completeExceptionally(e);
                }
                return 0L;
            }
            Runs.MET.countDown();
            Runs.GATHERED.handle((records, refusal) -> 0).get(60, TimeUnit.SECONDS);
            return sum(rank.group(), total(partition));
        });
        assertThat(sums).containsExactly(4950L, 4950L);
        assertThat(Runs.GATHERED).isCompletedExceptionally();
    }

    /** Spark does not interrupt the thread of a task that it kills, which waits here for a rank that never comes. */
    @Test
    void cancelledJob_endsItsRanks() throws InterruptedException {
        CountDownLatch ended = Runs.ENDED;
        Thread driver = Thread.ofPlatform().start(() -> {
            context.setJobGroup("to cancel", "a world that is cancelled", false);
            assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> {
                        Runs.BEGUN.countDown();
                        try {
                            if (rank.partition() == 0) {
                                return sum(rank.group(), 1);
                            }
                            return rank.group().ended().then().block() == null;
                        } finally {
                            Runs.ENDED.countDown();
                        }
                    }))
                    .hasMessageContaining("cancelled");
        });
        assertThat(Runs.BEGUN.await(60, TimeUnit.SECONDS)).isTrue();
        context.cancelJobGroup("to cancel");

        assertThat(ended.await(30, TimeUnit.SECONDS)).as("both programs ended").isTrue();
        driver.join();
    }

    @Test
    void stagesThatSparkWouldRefuse_areRefusedBefore() {
        assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), 5).run((rank, partition) -> 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("ranks=5", "slots=4", "local[4]");
        assertThatThrownBy(() -> SparkWorld.on(numbers(10, 4).coalesce(2)).run((rank, partition) -> 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("ranks=2", "its partitions=4", "repartition(2)");
        assertThatThrownBy(() ->
                        SparkWorld.on(numbers(10, 1).union(numbers(10, 1))).run((rank, partition) -> 0))
                .hasMessageContaining("its partitions=1");
        assertThat(SparkWorld.on(numbers(10, 4).coalesce(2)).ranks(3).run((rank, partition) -> total(partition)))
                .hasSize(3);
    }

    /** A client of Spark Connect answers so: it has no access to the partitions of a dataset. */
    @Test
    void datasetOfSparkConnect_isRefused() throws ReflectiveOperationException {
        Dataset<?> remote = new ByteBuddy()
                .subclass(Dataset.class)
                .method(ElementMatchers.named("toJavaRDD"))
                .intercept(ExceptionMethod.throwing(UnsupportedOperationException.class, "RDDs are unsupported"))
                .method(ElementMatchers.named("sparkSession"))
                .intercept(FixedValue.value(session))
                .make()
                .load(Dataset.class.getClassLoader())
                .getLoaded()
                .getDeclaredConstructor()
                .newInstance();
        assertThatThrownBy(() -> SparkWorld.on(remote))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContainingAll("Spark Connect", "spark-submit");
    }

    @Test
    void numbersBelowOne_areRefused() {
        SparkWorld<Integer> world = SparkWorld.on(numbers(10, 2));
        assertThatThrownBy(() -> world.ranks(0)).hasMessageContaining("ranks=0");
        assertThatThrownBy(() -> world.attempts(0)).hasMessageContaining("attempts=0");
        assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), -1)).hasMessageContaining("ranks=-1");
    }

    /** Notes of programs: static, since programs are serialized even for executors in the same JVM. */
    private static final class Runs {

        private static final Map<String, Map<Integer, Integer>> BY_NAME = new ConcurrentHashMap<>();
        private static final List<Throwable> HEARD = java.util.Collections.synchronizedList(new ArrayList<>());
        private static final CountDownLatch MET = new CountDownLatch(2);
        private static final CompletableFuture<String[]> GATHERED = new CompletableFuture<>();
        private static final CountDownLatch BEGUN = new CountDownLatch(2);
        private static final CountDownLatch ENDED = new CountDownLatch(2);

        private static Map<Integer, Integer> of(String name) {
            return BY_NAME.computeIfAbsent(name, ignored -> new ConcurrentHashMap<>());
        }
    }
}
