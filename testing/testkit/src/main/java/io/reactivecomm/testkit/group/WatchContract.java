package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Traffic;
import io.reactivecomm.Work;
import io.reactivecomm.observability.watch.JobSnapshot;
import io.reactivecomm.observability.watch.JobWatch;
import io.reactivecomm.observability.watch.LateRanks;
import io.reactivecomm.observability.watch.RankStatus;
import io.reactivecomm.observability.watch.RankStatus.State;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** The contract of watching a job: ranks tell what they do while somebody watches, and nothing else. */
public abstract class WatchContract extends WorldContract {

    /** {@return a watch over the world that was opened last, in the shortest interval} */
    protected abstract JobWatch watch();

    /** {@return how many records its ranks have ever put on its board} */
    protected abstract long records();

    /** {@return how many of its ranks wait for somebody to watch, and do nothing else for watchers} */
    protected abstract int waitingRanks();

    private JobSnapshot await(Predicate<JobSnapshot> wanted) {
        return Objects.requireNonNull(watch().snapshots().filter(wanted).blockFirst(LIMIT));
    }

    protected final void awaitWaiting(int ranks) {
        long until = System.nanoTime() + LIMIT.toNanos();
        while (waitingRanks() < ranks) {
            assertThat(System.nanoTime())
                    .as("ranks that wait: %d of %d", waitingRanks(), ranks)
                    .isLessThan(until);
            Thread.onSpinWait();
        }
    }

    private Tensor floats() {
        return closedAfterwards(Tensor.allocate(DType.FLOAT32, 1000));
    }

    private void reduceOnAll(List<ProcessGroup> world) {
        all(world, group -> group.allReduce(floats(), ReduceOp.SUM));
    }

    private static RankReport report(JobSnapshot job, int rank) {
        return job.ranks().get(rank).report().orElseThrow();
    }

    @Tag("smoke")
    @Test
    void job_thatNobodyWatches_tellsNothing_norWhenItsWatcherHasGone() {
        List<ProcessGroup> world = world(3);
        awaitWaiting(3);
        reduceOnAll(world);
        assertThat(records()).isZero();

        assertThat(await(JobSnapshot::isComplete).ranks()).hasSize(3);
        awaitWaiting(3);
        long told = records();
        assertThat(told).isGreaterThanOrEqualTo(6);
        reduceOnAll(world);
        assertThat(records()).isEqualTo(told);
        assertThat(waitingRanks()).isEqualTo(3);
    }

    /** What is told of a job does not go over its links. */
    @Test
    void job_thatIsWatched_sendsNothingMoreBetweenItsRanks() {
        List<ProcessGroup> world = world(2);
        reduceOnAll(world);
        List<Traffic> before = world.stream().map(ProcessGroup::traffic).toList();
        await(JobSnapshot::isComplete);
        assertThat(world.stream().map(ProcessGroup::traffic)).isEqualTo(before);
    }

    @Test
    void call_thatBeganBeforeAnybodyWatched_isShown_withWhomItWaitsFor() {
        List<ProcessGroup> world = world(3);
        List<CompletableFuture<Work>> early = world.subList(0, 2).stream()
                .map(group ->
                        group.named("layer1").allReduce(floats(), ReduceOp.SUM).toFuture())
                .toList();
        JobSnapshot job = await(each ->
                !each.late().isEmpty() && each.late().getFirst().waiting().size() == 2);
        LateRanks late = job.late().getFirst();
        assertThat(late.call().label()).isEqualTo("layer1#0");
        assertThat(late.call().operation()).isEqualTo("all-reduce");
        assertThat(late.call().byteSize()).isEqualTo(4000);
        assertThat(late.call().since()).isPresent();
        assertThat(late.waiting()).containsExactly(0, 1);
        assertThat(late.late()).containsExactly(2);
        assertThat(report(job, 0).inFlight()).isEqualTo(1);

        world.get(2).named("layer1").allReduce(floats(), ReduceOp.SUM).block(LIMIT);
        early.forEach(CompletableFuture::join);
        assertThat(await(each -> each.isComplete() && report(each, 0).inFlight() == 0)
                        .late())
                .isEmpty();
    }

    @Test
    void calls_areCountedWhileSomebodyWatches() {
        List<ProcessGroup> world = world(2);
        // The calls are made between two looks; what ended before the first is nobody's.
        JobSnapshot job = watch().snapshots()
                .doOnNext(each -> Flux.fromIterable(world)
                        .flatMap(
                                group -> group.allReduce(floats(), ReduceOp.SUM).repeat(9))
                        // The world is closed before the last of them have ended.
                        .onErrorComplete()
                        .subscribe())
                .filter(each -> each.isComplete()
                        && report(each, 0).calls() > 0
                        && report(each, 1).calls() > 0)
                .blockFirst(LIMIT);
        assertThat(Objects.requireNonNull(job).ranks()).allSatisfy(rank -> {
            RankReport report = rank.report().orElseThrow();
            assertThat(report.worldSize()).isEqualTo(2);
            assertThat(report.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(report.failed()).isZero();
            assertThat(report.bytes()).isEqualTo(4000 * report.calls());
            // Of two ranks each sends the whole once: 2 (n − 1) / n = 1.
            assertThat(report.busBytes()).isEqualTo(report.bytes());
            assertThat(report.callsPerSecond()).isPositive();
            assertThat(report.gigabytesPerSecond()).isPositive();
        });
    }

    @Test
    void calls_thatFail_areCountedAsSuch() {
        List<ProcessGroup> world = world(2);
        JobSnapshot job = watch().snapshots()
                .doOnNext(each -> world.get(0)
                        .timeout(Duration.ofMillis(1))
                        .barrier()
                        .onErrorComplete()
                        .subscribe())
                .filter(each -> each.isComplete() && report(each, 0).failed() > 0)
                .blockFirst(LIMIT);
        assertThat(report(Objects.requireNonNull(job), 0).bytes()).isZero();
        assertThat(report(job, 0).calls()).isGreaterThanOrEqualTo(report(job, 0).failed());
    }

    @Test
    void watchers_seeTheSameJob_andOneMayGo() {
        List<ProcessGroup> world = world(2);
        assertThat(watch().snapshots()
                        .filter(JobSnapshot::isComplete)
                        // Another one comes and goes while this one watches on.
                        .concatMap(each -> watch().snapshots()
                                .filter(JobSnapshot::isComplete)
                                .next())
                        .take(2)
                        .collectList()
                        .block(LIMIT))
                .hasSize(2)
                .allSatisfy(job ->
                        assertThat(job.ranks()).extracting(RankStatus::state).containsOnly(State.PUBLISHING));
        awaitWaiting(2);
        reduceOnAll(world);
    }

    @Test
    void rank_thatLeaves_isShownAsGone() {
        List<ProcessGroup> world = world(3);
        JobSnapshot job = watch().snapshots()
                .doOnNext(each -> {
                    if (each.isComplete() && each.ranks().getLast().state() == State.PUBLISHING) {
                        world.get(2).close();
                    }
                })
                .filter(each -> each.worldSize() == 3 && each.ranks().getLast().state() == State.LEFT)
                .blockFirst(LIMIT);
        assertThat(Objects.requireNonNull(job).ranks().getLast().report()).isPresent();
        assertThat(job.failure()).isEmpty();
    }

    @Test
    void job_thatFails_saysWhy() {
        List<ProcessGroup> world = world(2);
        world.get(1).abort("the disk is full");
        assertThat(await(job -> job.failure().isPresent()).failure().orElseThrow())
                .contains("the disk is full");
    }

    @Test
    void job_thatEndsWhileItIsWatched_isOver() {
        List<ProcessGroup> world = world(2);
        JobSnapshot last = watch().snapshots()
                .doOnNext(each -> {
                    if (each.isComplete()) {
                        // Not on the watcher's own thread, which closing may wait for.
                        CompletableFuture.runAsync(this::endWorld);
                    }
                })
                .blockLast(LIMIT);
        assertThat(Objects.requireNonNull(last).isOver()).isTrue();
        assertThat(last.ranks()).hasSameSizeAs(world);
    }

    /** Ends the world that was opened last, its ranks and what they met at. */
    protected abstract void endWorld();
}
