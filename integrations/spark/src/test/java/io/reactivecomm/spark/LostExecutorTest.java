package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.CollectionAccumulator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A world on two executors that are processes, one of which is killed: Spark repeats the stage. */
@Timeout(240)
class LostExecutorTest {

    private static SparkSession session;

    @BeforeAll
    static void open() {
        session = SparkHome.cluster("local-cluster[2,1,1024]").getOrCreate();
    }

    @AfterAll
    static void close() {
        session.stop();
    }

    private record Note(int attempt, long sum, long pid, boolean isOfChildLoader, List<String> missing)
            implements Serializable {}

    private static long sum(ProcessGroup group, long value) {
        try (Tensor tensor = Tensor.of(new long[] {value}, 1)) {
            group.allReduce(tensor, ReduceOp.SUM).block();
            return tensor.toLongArray()[0];
        }
    }

    private static void kill(long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-9", Long.toString(pid)).start().waitFor();
        Thread.currentThread().join();
    }

    /** Spark would refuse the stage, too, after it has started other stages of the job. */
    @Test
    void dynamicAllocation_isRefused() {
        SparkConf conf = session.sparkContext().conf();
        conf.set("spark.dynamicAllocation.enabled", "true");
        try {
            assertThatThrownBy(() -> SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> 0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("spark.dynamicAllocation.enabled=true", "spark.executor.instances");
        } finally {
            conf.remove("spark.dynamicAllocation.enabled");
        }
    }

    /** A note that a task adds to an accumulator: the driver reads it, and with it the end of the task, once it knows that another task has failed. */
    private static final class LateNote implements Serializable {

        private static final CountDownLatch FAILURE = new CountDownLatch(1);

        private final String arrival;

        private LateNote(String arrival) {
            this.arrival = arrival;
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            Files.writeString(Path.of(arrival), "");
            try {
                FAILURE.await();
            } catch (InterruptedException e) {
                throw new InvalidObjectException("interrupted");
            }
        }
    }

    /** Spark keeps the outcome of a rank that arrives after the loss of another rank's executor, and then repeats that rank alone. */
    @Test
    void outcomeThatArrivesAfterTheLoss_makesAllRanksRunAgain(@TempDir Path folder) {
        String arrival = folder.resolve("arrival").toString();
        SparkContext context = session.sparkContext();
        CollectionAccumulator<LateNote> notes = context.collectionAccumulator();
        context.addSparkListener(new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd ended) {
                if (ended.reason() instanceof TaskFailedReason) {
                    LateNote.FAILURE.countDown();
                }
            }
        });
        List<Integer> attempts = SparkWorld.ranks(context, 2).run((rank, partition) -> {
            if (rank.attempt() == 0 && rank.partition() == 1) {
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                while (!Files.exists(Path.of(arrival)) && System.nanoTime() - end < 0) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                }
                kill(ProcessHandle.current().pid());
            }
            notes.add(new LateNote(arrival));
            return rank.attempt();
        });

        assertThat(attempts).containsExactly(2, 2);
    }

    @Test
    void killedExecutor_makesTheWorldRunAgain() {
        List<Note> notes = SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> {
            long pid = ProcessHandle.current().pid();
            sum(rank.group(), 1);
            if (rank.attempt() == 0 && rank.partition() == 1) {
                kill(pid);
            }
            // Objects need Jackson, whose annotations are Spark's.
            List<Note> gathered = rank.group()
                    .allGatherObject(new Note(0, 1L << rank.partition(), pid, true, List.of()), Note.class)
                    .block();
            return new Note(
                    rank.attempt(),
                    gathered.stream().mapToLong(Note::sum).sum(),
                    pid,
                    ReactiveComm.class.getClassLoader() != ClassLoader.getSystemClassLoader(),
                    ExecutorFlags.missing());
        });

        assertThat(notes).extracting(Note::attempt).containsExactly(1, 1);
        assertThat(notes).extracting(Note::sum).containsExactly(3L, 3L);
        assertThat(notes).extracting(Note::pid).doesNotHaveDuplicates();
        assertThat(notes).as("the library comes by spark.jars").allMatch(Note::isOfChildLoader);
        assertThat(notes).extracting(Note::missing).containsOnly(List.of());
    }
}
