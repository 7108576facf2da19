package io.reactivecomm.spark;

import io.reactivecomm.spi.WarningLog;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import scala.reflect.ClassTag;

/**
 * A world of ranks in a barrier stage of Spark: one rank per partition, all at once.
 *
 * <pre>{@code
 * List<Model> models = SparkWorld.on(rows)            // a Dataset or a JavaRDD; or SparkWorld.ranks(context, 4)
 *         .ranks(4)
 *         .run((rank, partition) -> train(rank.group(), partition));
 * }</pre>
 *
 * <p>The ranks meet by the all-gather of the barrier stage, which goes by Spark's own RPC. So the driver needs no further port, and ranks need no address. Each
 * all-gather takes Spark a whole second; a world needs two.
 *
 * <p><b>Failure.</b> If a program throws, its group is aborted with the text of the exception, and {@link #run} throws a {@link SparkRankException}. The program runs
 * again only if {@link #attempts} permits. If an executor is lost, Spark runs the whole stage again, within its own limit (spark.stage.maxConsecutiveAttempts).
 * For that the results pass through a small shuffle: Spark does not repeat a barrier stage whose results go to the driver. As a consequence, an
 * executor that is lost after the program has ended but before its result was fetched makes all ranks run again. A program saves checkpoints and looks at
 * {@link SparkRank#attempt} if that is expensive. If Spark kills a task, its group ends within a second.
 *
 * <p><b>Security.</b> docs/spark.md: the token of the world travels by Spark's RPC.
 *
 * <p>Instances are immutable.
 *
 * @param <T> an element of a partition
 */
public final class SparkWorld<T> {

    private static final Logger LOG = WarningLog.of(SparkWorld.class);

    private final JavaRDD<T> rows;
    private final int attempts;
    private final boolean trustsRpc;

    private SparkWorld(JavaRDD<T> rows, int attempts, boolean trustsRpc) {
        this.rows = rows;
        this.attempts = attempts;
        this.trustsRpc = trustsRpc;
    }

    /** {@return a world with a rank for each partition} */
    public static <T> SparkWorld<T> on(JavaRDD<T> rows) {
        return new SparkWorld<>(Objects.requireNonNull(rows, "rows"), 1, false);
    }

    /**
     * {@return a world with a rank for each partition of the dataset}
     *
     * @throws UnsupportedOperationException if the session is one of Spark Connect, whose clients have no access to barrier stages
     */
    public static <T> SparkWorld<T> on(Dataset<T> rows) {
        Objects.requireNonNull(rows, "rows");
        try {
            return on(rows.toJavaRDD());
        } catch (UnsupportedOperationException e) {
            throw new UnsupportedOperationException(
                    "a world needs barrier stages, which clients of Spark Connect cannot start: session="
                            + rows.sparkSession().getClass().getName()
                            + "; run the program with spark-submit, in a classic session",
                    e);
        }
    }

    /** {@return a world of {@code n} ranks without data: each partition contains its rank} */
    public static SparkWorld<Integer> ranks(SparkContext context, int n) {
        Objects.requireNonNull(context, "context");
        requirePositive("ranks", n);
        List<Integer> ranks = IntStream.range(0, n).boxed().toList();
        return on(JavaSparkContext.fromSparkContext(context).parallelize(ranks, n));
    }

    /** {@return the same with {@code n} ranks} If there is another number of partitions, all rows are shuffled into {@code n} partitions of about equal size. */
    public SparkWorld<T> ranks(int n) {
        requirePositive("ranks", n);
        return rows.getNumPartitions() == n ? this : new SparkWorld<>(rows.repartition(n), attempts, trustsRpc);
    }

    /**
     * {@return the same where the program runs up to {@code n} times until it throws no exception on any rank; once by default} Lost executors do not count: Spark has a limit of
     * its own for them.
     */
    public SparkWorld<T> attempts(int n) {
        requirePositive("attempts", n);
        return new SparkWorld<>(rows, n, trustsRpc);
    }

    /**
     * {@return the same, declared to run where only the ranks and the driver can read Spark's network} The world's token then travels by Spark's RPC between hosts although that is
     * not encrypted.
     */
    public SparkWorld<T> trustSparkRpc() {
        return new SparkWorld<>(rows, attempts, true);
    }

    private static void requirePositive(String name, int number) {
        if (number < 1) {
            throw new IllegalArgumentException(
                    "a world has at least one of these: " + name + "=" + number + "; give a positive number");
        }
    }

    /**
     * Runs the program on all ranks at once.
     *
     * <p><b>Threads.</b> Blocks until all ranks have ended. As with other actions of Spark, an interrupt ends the wait with an InterruptedException, but not the job.
     *
     * <p><b>Errors.</b> {@link SparkRankException} if a program failed; a SparkException if Spark gave the stage up.
     *
     * @return the results in rank order
     * @throws IllegalStateException if Spark cannot run the stage: with dynamic allocation, too few slots, or partitions that come from others without a shuffle
     */
    public <R extends @Nullable Object> List<R> run(SparkProgram<T, R> program) {
        Objects.requireNonNull(program, "program");
        StageRequirements.check(rows.rdd());
        int earlierAttempts = 0;
        for (int job = 1; ; job++) {
            List<Outcome> outcomes = stage(program, earlierAttempts);
            Optional<SparkRankException> failure = Outcome.failure(outcomes);
            if (failure.isEmpty()) {
                return results(outcomes);
            }
            if (job >= attempts) {
                throw failure.get();
            }
            earlierAttempts = outcomes.getFirst().attempt() + 1;
            LOG.warn(
                    "a world's program failed, and runs again: attempt={}, attempts={}, cause={}",
                    job + 1,
                    attempts,
                    failure.get().getMessage());
        }
    }

    private List<Outcome> stage(SparkProgram<T, ?> program, int earlierAttempts) {
        ClassTag<byte[]> bytes = ClassTag.apply(byte[].class);
        boolean isConfidential = trustsRpc || isEncrypted(rows.context().getConf());
        RDD<byte[]> stage = rows.rdd()
                .barrier()
                .mapPartitions(
                        new RankTask<T>(program, rows.getNumPartitions(), isConfidential, earlierAttempts),
                        false,
                        bytes);
        // A stage before a shuffle is repeated when an executor is lost; the last one of a job is not.
        return new JavaRDD<>(stage, bytes)
                .repartition(1).collect().stream()
                        .map(Outcome::of)
                        .sorted(Comparator.comparing(Outcome::rank))
                        .toList();
    }

    /** {@return whether the RPC by which ranks meet is encrypted} */
    private static boolean isEncrypted(SparkConf conf) {
        boolean isAuthenticated = conf.getBoolean("spark.authenticate", false);
        return conf.getBoolean("spark.ssl.rpc.enabled", false)
                || (isAuthenticated
                        && (conf.getBoolean("spark.network.crypto.enabled", false)
                                || conf.getBoolean("spark.authenticate.enableSaslEncryption", false)));
    }

    /** The values are those of a program whose results are of this type. */
    @SuppressWarnings("unchecked")
    private static <R extends @Nullable Object> List<R> results(List<Outcome> outcomes) {
        return (List<R>) outcomes.stream().map(Outcome::value).toList();
    }
}
