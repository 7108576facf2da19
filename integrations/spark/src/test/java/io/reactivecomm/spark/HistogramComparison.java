package io.reactivecomm.spark;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * A comparison of all-reduce in a world with {@code treeAggregate}, in one session: the sum of the tasks' histograms of 4 MiB, 20 times over 2 and over 4 tasks. All ranks
 * have the sum of the all-reduce; that of {@code treeAggregate} is on the driver alone.
 *
 * <p>Arguments: a master, {@code local-cluster[2,2,1024]} by default.
 */
final class HistogramComparison {

    private static final int BINS = 1 << 19;
    private static final int ROUNDS = 20;
    private static final int WARM_UP = 20;

    private HistogramComparison() {}

    public static void main(String[] args) {
        String master = args.length == 0 ? "local-cluster[2,2,1024]" : args[0];
        SparkSession session = SparkHome.cluster(master)
                .config("spark.executor.extraJavaOptions", SparkHome.FLAGS)
                .getOrCreate();
        JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
        try {
            for (int tasks : List.of(2, 4)) {
                SparkWorld.ranks(context.sc(), tasks).run((rank, partition) -> 0);
                long begin = System.nanoTime();
                SparkWorld.ranks(context.sc(), tasks).run((rank, partition) -> 0);
                double world = (System.nanoTime() - begin) / 1e6;
                double reduced = median(allReduced(context, tasks));
                double aggregated = median(aggregated(context, tasks));
                System.out.printf(
                        Locale.ROOT,
                        "tasks=%d all-reduce=%.1f ms treeAggregate=%.1f ms factor=%.1f; a world without a program=%.0f ms%n",
                        tasks,
                        reduced,
                        aggregated,
                        aggregated / reduced,
                        world);
            }
        } finally {
            session.stop();
        }
    }

    private static double median(List<Double> times) {
        return times.stream().skip(WARM_UP).sorted().toList().get(ROUNDS / 2);
    }

    private static List<Double> allReduced(JavaSparkContext context, int tasks) {
        List<List<Double>> times = SparkWorld.ranks(context.sc(), tasks).run((rank, partition) -> {
            List<Double> own = new ArrayList<>();
            try (Tensor histogram = rank.group().allocate(DType.INT64, BINS)) {
                for (int round = 0; round < WARM_UP + ROUNDS; round++) {
                    long begin = System.nanoTime();
                    count(rank.partition(), round, histogram.segment());
                    rank.group().allReduce(histogram, ReduceOp.SUM).block();
                    own.add((System.nanoTime() - begin) / 1e6);
                    check(histogram.segment().getAtIndex(ValueLayout.JAVA_LONG, 7), tasks, round);
                }
            }
            return own;
        });
        return times.getFirst();
    }

    private static List<Double> aggregated(JavaSparkContext context, int tasks) {
        JavaRDD<Integer> partitions =
                context.parallelize(IntStream.range(0, tasks).boxed().toList(), tasks);
        List<Double> times = new ArrayList<>();
        for (int i = 0; i < WARM_UP + ROUNDS; i++) {
            int round = i;
            long begin = System.nanoTime();
            long[] sum = partitions.treeAggregate(
                    new long[0],
                    (histogram, partition) -> added(histogram, counts(partition, round)),
                    HistogramComparison::added);
            times.add((System.nanoTime() - begin) / 1e6);
            check(sum[7], tasks, round);
        }
        return times;
    }

    private static void count(int partition, int round, MemorySegment histogram) {
        for (long i = 0; i < BINS; i++) {
            histogram.setAtIndex(ValueLayout.JAVA_LONG, i, partition + round);
        }
    }

    private static long[] counts(int partition, int round) {
        long[] counts = new long[BINS];
        Arrays.fill(counts, partition + round);
        return counts;
    }

    private static long[] added(long[] left, long[] right) {
        if (left.length == 0) {
            return right;
        }
        for (int i = 0; i < right.length; i++) {
            left[i] += right[i];
        }
        return left;
    }

    private static void check(long found, int tasks, int round) {
        if (found != (long) tasks * round + (long) tasks * (tasks - 1) / 2) {
            throw new IllegalStateException("the sum is wrong: found=" + found + ", round=" + round);
        }
    }
}
