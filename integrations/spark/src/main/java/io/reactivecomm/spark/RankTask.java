package io.reactivecomm.spark;

import io.reactivecomm.CommConfig;
import io.reactivecomm.Meeting;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.rendezvous.MeetingRounds;
import java.io.Serializable;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.SparkOutOfMemoryError;
import org.apache.spark.resource.ResourceInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/**
 * The task of one rank in a barrier stage: it meets the others by the stage's all-gather, runs the program, and returns its serialized {@link Outcome}.
 *
 * <p>Spark numbers the rounds of an all-gather by stage and attempt, and refuses those of an earlier attempt. So a task that outlived its attempt cannot join a
 * later one, and each attempt has a token of its own.
 *
 * @param <T> an element of a partition
 */
final class RankTask<T> extends AbstractFunction1<scala.collection.Iterator<T>, scala.collection.Iterator<byte[]>>
        implements Serializable {

    private static final long serialVersionUID = 1;

    private static final Logger LOG = LoggerFactory.getLogger(RankTask.class);

    /** Spark kills the other ranks a second or two after an executor has ended. */
    private static final Duration KILL_PATIENCE = Duration.ofSeconds(3);

    private static final long POLL_NANOS = 20_000_000;

    private final SparkProgram<T, ?> program;
    private final int ranks;
    private final boolean isRpcConfidential;
    private final int earlierAttempts;

    /** @param earlierAttempts attempts of earlier jobs */
    RankTask(SparkProgram<T, ?> program, int ranks, boolean isRpcConfidential, int earlierAttempts) {
        this.program = program;
        this.ranks = ranks;
        this.isRpcConfidential = isRpcConfidential;
        this.earlierAttempts = earlierAttempts;
    }

    @Override
    public scala.collection.Iterator<byte[]> apply(scala.collection.Iterator<T> partition) {
        BarrierTaskContext task = BarrierTaskContext.get();
        requireAllRanks(task.getTaskInfos().length);
        byte[] outcome = run(task, CollectionConverters.asJava(partition)).serialized();
        return CollectionConverters.asScala(List.of(outcome).iterator());
    }

    /**
     * Fails the task if Spark repeats only a part of the stage, as it does if the outcome of one rank reaches the driver just after the loss of another rank's executor.
     * Spark then repeats the stage as a whole.
     */
    private void requireAllRanks(int tasks) {
        if (tasks != ranks) {
            throw new IllegalStateException("Spark repeats some ranks of a world, which needs all: ranks=" + ranks
                    + ", tasks=" + tasks + "; all of them run again");
        }
    }

    private Outcome run(BarrierTaskContext task, Iterator<T> partition) {
        int rank = task.partitionId();
        int attempt = earlierAttempts + task.stageAttemptNumber();
        LOG.info(
                "a rank joins its world: application={}, stage={}, attempt={}, rank={}, worldSize={}",
                SparkEnv.get().conf().getAppId(),
                task.stageId(),
                attempt,
                rank,
                task.getTaskInfos().length);
        ExecutorFlags.warnOnce();
        try {
            return Outcome.success(
                    rank,
                    attempt,
                    ReactiveComm.using(
                            TaskWatch.begin(task).over(connect(task)),
                            group -> program.run(rank(task, group, attempt), partition)));
        } catch (Throwable e) {
            if (Outcome.isCausedBy(PeerLostException.class, e)) {
                awaitKill(task);
            }
            // Of a task that Spark has killed, it expects this.
            task.killTaskIfInterrupted();
            if (e instanceof VirtualMachineError fatal && endsTheExecutor(fatal)) {
                throw fatal;
            }
            if (task.fetchFailed().isDefined()) {
                throw new IllegalStateException("rows of a shuffle are lost, which Spark makes again", e);
            }
            return Outcome.failure(rank, attempt, e);
        } finally {
            // Of a program that interrupts its own thread: Spark could not write the outcome.
            Thread.interrupted();
        }
    }

    /**
     * Spark learns of a lost executor about when the other ranks do, and kills these. The outcome of a rank that ends in between would cost an attempt: see {@link
     * #requireAllRanks}.
     */
    private static void awaitKill(BarrierTaskContext task) {
        long begin = System.nanoTime();
        while (!task.isInterrupted() && System.nanoTime() - begin < KILL_PATIENCE.toNanos()) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** A program that recurses too deep, or that gets no memory from Spark, does no harm to others. */
    private static boolean endsTheExecutor(VirtualMachineError problem) {
        return !(problem instanceof StackOverflowError || problem instanceof SparkOutOfMemoryError);
    }

    private static SparkRank rank(BarrierTaskContext task, ProcessGroup group, int attempt) {
        ResourceInformation gpus = task.resourcesJMap().get("gpu");
        return new SparkRank(group, gpus == null ? List.of() : List.of(gpus.addresses()), attempt, task.partitionId());
    }

    private Mono<ProcessGroup> connect(BarrierTaskContext task) {
        Meeting meeting = isRpcConfidential ? meeting(task).confidential() : meeting(task);
        CommConfig config;
        try {
            config = CommConfig.of(meeting);
            requireSecret(task, System.getenv());
        } catch (RendezvousException e) {
            tell(meeting, e);
            throw e;
        }
        return ReactiveComm.connect(config);
    }

    /** The other ranks wait in the first round, and learn the reason there. */
    private static void tell(Meeting meeting, RendezvousException problem) {
        try {
            new MeetingRounds(meeting).tell(problem).block(CommConfig.DEFAULT_RENDEZVOUS_TIMEOUT);
        } catch (IllegalStateException e) {
            LOG.debug("the other ranks did not come to the meeting in time", e);
        }
    }

    /** {@return the stage's all-gather} Spark catches interrupts in it, but ends it with its task. */
    static Meeting meeting(BarrierTaskContext task) {
        return Meeting.blocking(
                task.partitionId(),
                task.getTaskInfos().length,
                own -> Arrays.stream(task.allGather(text(own)))
                        .map(Base64.getDecoder()::decode)
                        .toList());
    }

    private static String text(byte[] record) {
        return Base64.getEncoder().encodeToString(record);
    }

    /** A token that Spark carries in the clear between hosts would let its readers join the world. */
    private void requireSecret(BarrierTaskContext task, Map<String, String> environment) {
        List<String> hosts = Arrays.stream(task.getTaskInfos())
                .map(each -> each.address().replaceFirst(":\\d+$", ""))
                .distinct()
                .toList();
        if (hosts.size() > 1
                && !isRpcConfidential
                && environment.getOrDefault("RCOMM_TOKEN", "").isEmpty()) {
            throw new RendezvousException(
                    "ranks on several hosts need a secret, and Spark's RPC would carry it unencrypted: hosts="
                            + hosts
                            + "; set spark.authenticate=true and spark.network.crypto.enabled=true, or spark.ssl.rpc.enabled=true, or give the executors RCOMM_TOKEN from a secret, or"
                            + " call SparkWorld.trustSparkRpc() if others cannot read the traffic of Spark");
        }
    }
}
