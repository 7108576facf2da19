package io.reactivecomm.spark;

import io.reactivecomm.Meeting;
import io.reactivecomm.testkit.MeetingContract;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import scala.reflect.ClassTag;
import scala.runtime.AbstractFunction1;

/** The contract of meetings by the all-gather of barrier stages, whose tasks wait here while the test gathers for them. */
@Timeout(180)
class SparkMeetingTest extends MeetingContract {

    private static final LinkedBlockingQueue<BarrierTaskContext> TASKS = new LinkedBlockingQueue<>();

    private static SparkSession session;
    private static volatile CountDownLatch release = new CountDownLatch(1);

    private Thread stage = new Thread();

    @BeforeAll
    static void open() {
        session = LocalSpark.session("local[3]");
    }

    @AfterAll
    static void close() {
        session.stop();
    }

    /** A task that lends its context until it is released. */
    private static final class Lending
            extends AbstractFunction1<scala.collection.Iterator<Integer>, scala.collection.Iterator<Integer>>
            implements Serializable {

        @Override
        public scala.collection.Iterator<Integer> apply(scala.collection.Iterator<Integer> partition) {
            CountDownLatch end = release;
            TASKS.add(BarrierTaskContext.get());
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return partition;
        }
    }

    @Override
    protected List<Meeting> meetings(int size) {
        end();
        release = new CountDownLatch(1);
        RDD<Integer> tasks = JavaSparkContext.fromSparkContext(session.sparkContext())
                .parallelize(Collections.nCopies(size, 0), size)
                .rdd()
                .barrier()
                .mapPartitions(new Lending(), false, ClassTag.apply(Integer.class));
        stage = Thread.ofPlatform().start(tasks::count);
        List<Meeting> meetings = new ArrayList<>(Collections.nCopies(size, null));
        for (int i = 0; i < size; i++) {
            BarrierTaskContext task = task();
            meetings.set(task.partitionId(), RankTask.meeting(task));
        }
        return meetings;
    }

    private static BarrierTaskContext task() {
        try {
            BarrierTaskContext task = TASKS.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
            if (task == null) {
                throw new AssertionError("a task did not start");
            }
            return task;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void end() {
        release.countDown();
        try {
            stage.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
