package io.reactivecomm.rcomm.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.observability.doctor.Disease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Jobs in which one thing is wrong on purpose: the doctor names the culprit. Those that only processes show are in {@link PlantedProcessesTest}. */
@Timeout(60)
class PlantedCasesTest {

    @TempDir
    private Path folder;

    private static Mono<Work> reduce(ProcessGroup group, String name, int count) {
        Tensor tensor = Tensor.of(new float[count]);
        return group.named(name).allReduce(tensor, ReduceOp.SUM).doFinally(end -> tensor.close());
    }

    @Test
    void skippedCall() throws Exception {
        try (PlantedJob job = new PlantedJob(3, folder, group -> {
            for (int round = 0; round < 3; round++) {
                for (String layer : new String[] {"layer1", "layer2", "layer3"}) {
                    boolean isSkipped = group.rank() == 1 && round == 2 && layer.equals("layer2");
                    if (!isSkipped) {
                        reduce(group, layer, 4).block();
                    }
                }
            }
        })) {
            job.requireDiagnosis(
                    Disease.SKIPPED_CALL,
                    List.of(1),
                    "Ranks diverged after layer1#2",
                    "ranks 0 and 2 wait in layer2#2",
                    "rank 1 waits in layer3#2",
                    "skipped layer2#2");
        }
    }

    @Test
    void skippedCall_withoutNames_ofAProgramThatEndsEarly() throws Exception {
        try (PlantedJob job = new PlantedJob(3, folder, group -> {
            for (int round = group.rank() == 2 ? 1 : 0; round < 6; round++) {
                reduce(group, "", 4).block();
            }
        })) {
            job.requireDiagnosis(
                    Disease.SKIPPED_CALL,
                    List.of(2),
                    "Rank 2 has not made #5 (all-reduce(FLOAT32 × 4, SUM)), which comes after #4",
                    "ranks 0 and 1 wait for it");
        }
    }

    @Test
    void twoOrders() throws Exception {
        try (PlantedJob job = new PlantedJob(3, folder, group -> {
            reduce(group, group.rank() == 1 ? "bias" : "weight", 4).block();
            reduce(group, group.rank() == 1 ? "weight" : "bias", 4).block();
        })) {
            job.requireDiagnosis(
                    Disease.TWO_ORDERS, List.of(1), "ranks 0 and 2 wait in weight#0", "rank 1 waits in bias#0");
        }
    }

    @Test
    void twoOrders_withoutNames() throws Exception {
        try (PlantedJob job = new PlantedJob(3, folder, group -> {
            Mono<Work> first = reduce(group, "", group.rank() == 1 ? 4 : 8);
            Mono<Work> second = reduce(group, "", group.rank() == 1 ? 8 : 4);
            Mono.whenDelayError(first, second).block();
        })) {
            job.requireDiagnosis(Disease.TWO_ORDERS, List.of(1), "Ranks diverged at #0");
        }
    }

    @Test
    void unequalShapes() throws Exception {
        try (PlantedJob job = new PlantedJob(3, folder, group -> {
            reduce(group, "loss", 1).block();
            reduce(group, "head", group.rank() == 2 ? 5 : 4).block();
        })) {
            job.requireDiagnosis(
                    Disease.UNEQUAL_CALLS,
                    List.of(2),
                    "Ranks diverged at head#0, after loss#0",
                    "ranks 0 and 1 called head#0 (all-reduce(FLOAT32 × 4, SUM))",
                    "rank 2 called head#0 (all-reduce(FLOAT32 × 5, SUM))");
        }
    }

    @Test
    void blockedLoop() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (PlantedJob job = new PlantedJob(2, folder, group -> {
            Mono<Work> first = reduce(group, "first", 4);
            (group.rank() == 1 ? first.doOnNext(work -> writeCheckpoint(released)) : first).subscribe();
            reduce(group, "second", 4).block();
        })) {
            try {
                job.requireDiagnosis(
                        Disease.BLOCKED_LOOP,
                        List.of(1),
                        "Rank 1's loop has not turned",
                        "writeCheckpoint",
                        "publishOn");
            } finally {
                released.countDown();
            }
        }
    }

    private static void writeCheckpoint(CountDownLatch released) {
        awaitQuietly(released);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void deadlock_ofTheProgramsThreads() throws Exception {
        ReentrantLock model = new ReentrantLock();
        ReentrantLock data = new ReentrantLock();
        CountDownLatch both = new CountDownLatch(2);
        Thread loader = Thread.ofPlatform().daemon().name("loader").unstarted(() -> lock(data, model, both));
        try (PlantedJob job = new PlantedJob(2, folder, group -> {
            reduce(group, "loss", 1).block();
            if (group.rank() == 1) {
                loader.start();
                lock(model, data, both);
            }
            reduce(group, "loss", 1).block();
        })) {
            job.requireDiagnosis(
                    Disease.DEADLOCK,
                    List.of(1),
                    "program-1 waits for",
                    "loader waits for",
                    "which loader holds",
                    "rank 0 waits for it in loss#1");
        } finally {
            loader.interrupt();
            loader.join();
        }
    }

    private static void lock(ReentrantLock first, ReentrantLock second, CountDownLatch both) {
        try {
            first.lockInterruptibly();
            both.countDown();
            both.await();
            second.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void deadlock_ofMessages() throws Exception {
        try (PlantedJob job = new PlantedJob(2, folder, group -> {
            int other = 1 - group.rank();
            try (Tensor tensor = Tensor.of(new float[4])) {
                group.receive(tensor, other, 0).block();
                group.send(tensor, other, 0).block();
            }
        })) {
            job.requireDiagnosis(
                    Disease.DEADLOCK,
                    List.of(0, 1),
                    "Ranks 0 and 1 are in a deadlock of messages",
                    "rank 0 waits in",
                    "none of these messages has been sent");
        }
    }

    @Test
    void slowRank() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (PlantedJob job = new PlantedJob(3, folder, group -> {
            reduce(group.numbered(1), "loss", 1).block();
            if (group.rank() == 1) {
                readBatch(released);
            }
            reduce(group.numbered(2), "loss", 1).block();
        })) {
            job.requireDiagnosis(
                    Disease.SLOW_RANK,
                    List.of(1),
                    "Rank 1 is late",
                    "since loss#0@scope1, while others are in scope 2",
                    "readBatch",
                    "ranks 0 and 2 wait for it in loss#0@scope2");
            released.countDown();
        }
    }

    private static void readBatch(CountDownLatch released) {
        while (released.getCount() > 0 && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void fullDisk() throws Exception {
        try (PlantedJob job = new PlantedJob(2, folder, group -> {
            reduce(group, "loss", 1).block();
            group.composite("checkpoint")
                    .mono(view -> view.barrier().then(Mono.fromCallable(() -> {
                        if (group.rank() == 1) {
                            Files.write(Path.of("/dev/full"), new byte[1]);
                        }
                        return group.rank();
                    })))
                    .block();
        })) {
            job.requireDiagnosis(Disease.FULL_DISK, List.of(1), "No space left on device", "checkpoint");
        }
    }

    /** Rank 0 has the result of an epoch before rank 1's own part of it fails: so nobody but rank 1 hears of that. */
    @Test
    void swallowedError_ofACallThatFailedOnOneRankAlone() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (PlantedJob job = new PlantedJob(2, folder, group -> {
            Mono<Integer> epoch = group.composite("epoch")
                    .mono(view -> view.barrier()
                            .publishOn(Schedulers.boundedElastic())
                            .map(work -> group.rank() == 1 ? corruptBatch(over) : 0));
            Integer result = group.rank() == 0
                    ? epoch.block()
                    : epoch.onErrorResume(error -> Mono.empty()).block();
            over.countDown();
            if (result != null) {
                reduce(group, "loss", 1).block();
            }
        })) {
            job.requireDiagnosis(
                    Disease.SWALLOWED_ERROR,
                    List.of(1),
                    "epoch) failed on rank 1 alone, whose program swallowed the error",
                    "rank 0 waits for it in loss#0",
                    "a corrupt batch");
        }
    }

    private static int corruptBatch(CountDownLatch over) {
        awaitQuietly(over);
        throw new IllegalStateException("a corrupt batch");
    }

    @Test
    void swallowedError_ofACallThatFailedOnAllRanks() throws Exception {
        try (PlantedJob job = new PlantedJob(3, folder, group -> {
            boolean isRetried;
            try (Tensor gradients = Tensor.of(new float[4])) {
                if (group.rank() == 1) {
                    gradients.close();
                }
                isRetried = group.named("grad")
                        .allReduce(gradients, ReduceOp.SUM)
                        .map(work -> true)
                        .onErrorReturn(group.rank() == 0)
                        .block();
            }
            if (isRetried) {
                reduce(group, "loss", 1).block();
            }
        })) {
            job.requireDiagnosis(
                    Disease.SWALLOWED_ERROR,
                    List.of(0),
                    "failed; rank 0 swallowed the error and went on",
                    "got a closed tensor");
        }
    }

    @Test
    void healthyJob_isSaidToBeOne() throws IOException {
        try (PlantedJob job =
                new PlantedJob(2, folder, group -> reduce(group, "loss", 1).block())) {
            for (Thread program : job.programs()) {
                program.join();
            }
            assertThat(job.text()).contains("Dumps of ranks 0 and 1 of 2").contains("nothing is wrong");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
