package io.reactivecomm.spark;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.spark.Dependency;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.resource.ResourceProfile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The conditions that Spark sets for a barrier stage. Spark itself would refuse the stage later, with errors that name neither the world nor the remedy, or look for
 * slots for ten minutes.
 */
final class StageRequirements {

    private static final Logger LOG = LoggerFactory.getLogger(StageRequirements.class);

    /** The time without a further executor after which no more are awaited. */
    static final Duration SLOT_PATIENCE = Duration.ofMinutes(1);

    private static final long POLL_MILLIS = 100;

    private StageRequirements() {}

    /** Throws an IllegalStateException that names the condition which is not met. */
    static void check(RDD<?> rows) {
        requireFixedExecutors(rows.context());
        requireOneStage(rows);
        requireSlots(rows);
    }

    private static void requireFixedExecutors(SparkContext context) {
        if (!context.isLocal() && context.getConf().getBoolean("spark.dynamicAllocation.enabled", false)) {
            throw new IllegalStateException(
                    "all ranks start at once, which Spark does not support with dynamic allocation: spark.dynamicAllocation.enabled=true; set it to false, and ask for the"
                            + " executors with spark.executor.instances");
        }
    }

    /** Between shuffles, a barrier stage may only contain datasets with as many partitions as it has. */
    private static void requireOneStage(RDD<?> rows) {
        int ranks = rows.getNumPartitions();
        Set<RDD<?>> seen = new HashSet<>(Set.of(rows));
        Deque<RDD<?>> left = new ArrayDeque<>(seen);
        while (!left.isEmpty()) {
            RDD<?> next = left.pop();
            if (next.getNumPartitions() != ranks) {
                throw new IllegalStateException(
                        "the partitions of a world come from a dataset with another number of them, without a shuffle between: ranks="
                                + ranks
                                + ", dataset=" + next + ", its partitions=" + next.getNumPartitions()
                                + "; call repartition(" + ranks
                                + ") before, instead of coalesce, union or a barrier stage with other partitions");
            }
            for (Dependency<?> each : CollectionConverters.asJava(next.dependencies())) {
                if (!(each instanceof ShuffleDependency<?, ?, ?>) && seen.add(each.rdd())) {
                    left.push(each.rdd());
                }
            }
        }
    }

    private static void requireSlots(RDD<?> rows) {
        SparkContext context = rows.context();
        ResourceProfile given = rows.getResourceProfile();
        ResourceProfile profile =
                given == null ? context.resourceProfileManager().defaultResourceProfile() : given;
        int ranks = rows.getNumPartitions();
        int slots = slots(context, profile, ranks);
        if (slots < ranks) {
            SparkConf conf = context.getConf();
            throw new IllegalStateException(
                    "all ranks start at once, and Spark has fewer slots for them: ranks=" + ranks + ", slots=" + slots
                            + ", master=" + context.master() + ", spark.task.cpus=" + conf.getInt("spark.task.cpus", 1)
                            + "; ask for more executors or cores, or for fewer ranks");
        }
    }

    /** {@return the tasks that can run at once, as soon as they are enough; executors of a cluster may still be on their way} */
    private static int slots(SparkContext context, ResourceProfile profile, int ranks) {
        int slots = context.maxNumConcurrentTasks(profile);
        if (slots < ranks && !context.isLocal()) {
            LOG.info("waits for executors: ranks={}, slots={}", ranks, slots);
        }
        long changed = System.nanoTime();
        while (slots < ranks
                && !context.isStopped()
                && System.nanoTime() - changed < patience(context, slots).toNanos()) {
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return slots;
            }
            int now = context.maxNumConcurrentTasks(profile);
            if (now != slots) {
                slots = now;
                changed = System.nanoTime();
            }
        }
        return slots;
    }

    /** A cluster that has not started any executor yet is given the ten minutes that Spark gives it before a barrier stage, or what the user set instead. */
    private static Duration patience(SparkContext context, int slots) {
        if (context.isLocal()) {
            return Duration.ZERO;
        }
        if (slots > 0) {
            return SLOT_PATIENCE;
        }
        SparkConf conf = context.getConf();
        return Duration.ofSeconds(
                        conf.getTimeAsSeconds("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "15s"))
                .multipliedBy(conf.getInt("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", 40));
    }
}
