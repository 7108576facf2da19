package io.reactivecomm.observability.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.live.ReportCodec;
import io.reactivecomm.observability.watch.RankStatus.State;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.recorder.WaitingCall;
import io.reactivecomm.spi.BoardPage;
import io.reactivecomm.spi.BoardReader;
import io.reactivecomm.spi.JobBoard;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** A job's board as a watcher reads it. */
class JobWatchTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final List<BoardPage.Entry> entries = new ArrayList<>();
    private final List<Integer> asked = new ArrayList<>();
    private int worldSize = 5;
    private int pageSize = 100;
    private boolean hasGone;
    private boolean isClosed;

    /** A board whose entries the test sets. */
    private final class SetBoard implements BoardReader {

        @Override
        public Mono<BoardPage> look(int first, Duration every) {
            return Mono.fromSupplier(() -> hasGone ? null : page(first));
        }

        private BoardPage page(int first) {
            asked.add(first);
            List<BoardPage.Entry> rest =
                    entries.stream().filter(entry -> entry.rank() >= first).toList();
            boolean isLast = rest.size() <= pageSize;
            return new BoardPage(
                    worldSize,
                    isLast ? rest : rest.subList(0, pageSize),
                    isLast ? BoardPage.LAST : rest.get(pageSize).rank());
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private JobWatch watch() {
        return new JobWatch(Mono.fromSupplier(SetBoard::new), Duration.ofMillis(100));
    }

    private JobSnapshot look() {
        return Objects.requireNonNull(watch().snapshots().blockFirst(LIMIT));
    }

    private static WaitingCall call(String label, int seconds, Integer... waitsFor) {
        return call(label, Duration.ofSeconds(seconds), waitsFor);
    }

    private static WaitingCall call(String label, Duration since, Integer... waitsFor) {
        return new WaitingCall(
                0, 5, label, "all-reduce", "links", 4000, Optional.of(since), List.of(waitsFor), waitsFor.length);
    }

    private void add(int rank, boolean isPresent, long since, List<Integer> lost, WaitingCall... calls) {
        RankReport report = new RankReport(
                rank,
                worldSize,
                100 + rank,
                "node",
                Duration.ofSeconds(2),
                10,
                0,
                4_000_000_000L,
                6_000_000_000L,
                500_000_000,
                calls.length,
                List.of(calls),
                lost,
                "");
        entries.add(new BoardPage.Entry(rank, isPresent, since, ReportCodec.encode(report)));
    }

    private void addUnheard(int rank, long since) {
        entries.add(new BoardPage.Entry(rank, true, since, new byte[0]));
    }

    @Test
    void ranks_areInTheStatesThatTheBoardShows() {
        worldSize = 7;
        add(0, true, 50, List.of(5));
        add(1, true, 4200, List.of());
        addUnheard(2, 20);
        addUnheard(3, 4300);
        add(4, false, 900, List.of());
        add(5, false, 800, List.of());
        JobSnapshot job = look();
        assertThat(job.ranks())
                .extracting(RankStatus::state)
                .containsExactly(
                        State.PUBLISHING,
                        State.SILENT,
                        State.ASKED,
                        State.SILENT,
                        State.LEFT,
                        State.LOST,
                        State.ABSENT);
        assertThat(job.ranks().get(1).since()).isEqualTo(Duration.ofMillis(4200));
        assertThat(job.ranks().get(1).report()).isPresent();
        assertThat(job.ranks().get(3).report()).isEmpty();
        assertThat(job.isComplete()).isFalse();
        assertThat(job.isOver()).isFalse();
    }

    @Test
    void rates_areOfTheTimeThatAReportCovers() {
        worldSize = 1;
        add(0, true, 50, List.of());
        RankReport report = look().ranks().getFirst().report().orElseThrow();
        assertThat(report.callsPerSecond()).isEqualTo(5);
        assertThat(report.gigabytesPerSecond()).isEqualTo(2);
        assertThat(report.busGigabytesPerSecond()).isEqualTo(3);
        assertThat(look().isComplete()).isTrue();
    }

    /** In a chain, where each knows of its neighbours alone: who is waited for and waits itself is not late. */
    @Test
    void late_isWhoIsWaitedFor_andDoesNotWaitInTheSameCall() {
        add(0, true, 0, List.of(), call("layer1#2", 4, 1), call("layer2#0", 1));
        add(1, true, 0, List.of(), call("layer1#2", 5, 2));
        add(2, true, 0, List.of(), call("layer1#2", 3, 3));
        add(3, true, 0, List.of(), call("layer9#0", 1, 4));
        add(4, true, 0, List.of());
        assertThat(look().late()).extracting(LateRanks::late).containsExactly(List.of(3), List.of(4));
        LateRanks first = look().late().getFirst();
        assertThat(first.waiting()).containsExactly(0, 1, 2);
        assertThat(first.call().since()).contains(Duration.ofSeconds(5));
    }

    /** Ranks that are seen in the middle of a call of a healthy job. */
    @Test
    void late_isNobody_forWhomOthersHaveJustBegunToWait() {
        add(
                0,
                true,
                0,
                List.of(),
                call("layer1#2", Duration.ofMillis(40), 1),
                call("layer2#2", Duration.ofMillis(499), 1));
        add(1, true, 0, List.of());
        add(
                2,
                true,
                0,
                List.of(),
                call("layer2#2", Duration.ofMillis(20), 1),
                call("layer3#2", Duration.ofMillis(500), 1));
        assertThat(look().late()).extracting(each -> each.call().label()).containsExactly("layer3#2");
    }

    @Test
    void pages_arePutTogether() {
        worldSize = 7;
        pageSize = 3;
        IntStream.range(0, 7).forEach(rank -> add(rank, true, 0, List.of()));
        assertThat(look().ranks()).hasSize(7).allMatch(rank -> rank.state() == State.PUBLISHING);
        assertThat(asked).containsExactly(0, 3, 6);
    }

    private static JobWatch watchOf(IntFunction<BoardPage> pages) {
        BoardReader board = new BoardReader() {
            @Override
            public Mono<BoardPage> look(int first, Duration every) {
                return Mono.fromSupplier(() -> pages.apply(first));
            }

            @Override
            public void close() {}
        };
        return new JobWatch(Mono.just(board), Duration.ofMillis(100));
    }

    private static void expectSenseless(JobWatch watch, String facts) {
        StepVerifier.create(watch.snapshots())
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(RendezvousException.class)
                        .hasMessageContainingAll("no board has", facts))
                .verify(LIMIT);
    }

    @Test
    void store_whosePagesDoNotRise_isATypedError() {
        BoardPage.Entry entry = new BoardPage.Entry(3, true, 0, new byte[0]);
        expectSenseless(watchOf(first -> new BoardPage(5, List.of(entry), 3)), "next=3");
        expectSenseless(watchOf(first -> new BoardPage(5, List.of(), first)), "next=0");
    }

    @Test
    void store_whosePagesAreMoreThanABoardHas_isATypedError() {
        BoardPage.Entry entry = new BoardPage.Entry(0, true, 0, new byte[JobBoard.MAX_RECORD_BYTES]);
        List<BoardPage.Entry> again = Collections.nCopies(1000, entry);
        expectSenseless(watchOf(first -> new BoardPage(65_536, again, first + 1)), "most=");
    }

    @Test
    void rank_thatMakesNoSense_isShownWithoutAReport_andTheOthersAsEver() {
        worldSize = 3;
        add(0, true, 0, List.of());
        entries.add(new BoardPage.Entry(1, true, 0, "{\"rank\":".getBytes(StandardCharsets.UTF_8)));
        entries.add(new BoardPage.Entry(2, true, 0, "no JSON".getBytes(StandardCharsets.UTF_8)));
        JobSnapshot job = look();
        assertThat(job.ranks()).extracting(RankStatus::state).containsOnly(State.PUBLISHING);
        assertThat(job.ranks()).extracting(rank -> rank.report().isPresent()).containsExactly(true, false, false);
        assertThat(job.isComplete()).isTrue();
    }

    @Test
    void job_thatGoes_isSeenOnceMoreAsItWas() {
        add(0, true, 0, List.of());
        StepVerifier.create(watch().snapshots())
                .expectNextMatches(job -> !job.isOver())
                .then(() -> hasGone = true)
                .expectNextMatches(job -> job.isOver() && job.worldSize() == 5)
                .expectComplete()
                .verify(LIMIT);
        assertThat(isClosed).isTrue();
    }

    @Test
    void job_thatHasGoneAtOnce_isOver() {
        hasGone = true;
        StepVerifier.create(watch().snapshots())
                .expectNextMatches(
                        job -> job.isOver() && job.worldSize() == 0 && job.at().isAfter(Instant.EPOCH.plusSeconds(1)))
                .expectComplete()
                .verify(LIMIT);
    }

    @Test
    void watcher_thatTakesNothing_doesNotLook_andCloses() {
        add(0, true, 0, List.of());
        StepVerifier.create(watch().snapshots(), 1)
                .expectNextCount(1)
                .thenCancel()
                .verify(LIMIT);
        assertThat(asked).hasSize(1);
    }

    @Test
    void interval_outOfRange_isRefused() {
        for (Duration interval : List.of(Duration.ZERO, Duration.ofMillis(99), Duration.ofSeconds(11))) {
            assertThatThrownBy(() -> watch().every(interval))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("out of range");
        }
    }

    @Test
    void json_hasWhatIsKnown() {
        worldSize = 2;
        add(0, true, 50, List.of(1), call("layer1#2", 4, 1));
        assertThat(look().toJson())
                .contains(
                        "\"worldSize\":2",
                        "\"state\":\"PUBLISHING\"",
                        "\"state\":\"LOST\"",
                        "\"callsPerSecond\":5.0",
                        "\"GBps\":2.0",
                        "\"busGBps\":3.0")
                .contains("\"oldest\":[{\"group\":0,\"groupSize\":5,\"label\":\"layer1#2\"")
                .contains("\"late\":[{\"call\":", "\"waiting\":[0],\"late\":[1]");
    }

    @Test
    void world_thatCannotBeWatched_isRefused() {
        LocalWorld foreign = new LocalWorld() {
            @Override
            public List<ProcessGroup> groups() {
                return List.of();
            }

            @Override
            public void close() {}
        };
        assertThatThrownBy(() -> JobWatch.of(foreign))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("cannot be watched");
    }

    /** Of a world in this JVM, as of any other. */
    @Test
    void tooManyWatchers_areToldSo() {
        Disposable.Composite watching = Disposables.composite();
        try (LocalWorld world = ReactiveComm.local(1)) {
            JobWatch watch = JobWatch.of(world);
            for (int i = 0; i < JobBoard.MAX_WATCHERS; i++) {
                watching.add(watch.snapshots().subscribe());
            }
            StepVerifier.create(watch.snapshots())
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(RendezvousException.class)
                            .hasMessageContaining("too many watch this job"))
                    .verify(LIMIT);
            watching.dispose();
        }
    }

    @Test
    void job_thatIsNamedByItsFile_isRefused() {
        StepVerifier.create(JobWatch.of(CommConfig.of("file:///tmp/rendezvous", 0, 1))
                        .snapshots())
                .expectErrorMatches(
                        e -> e instanceof RendezvousException && e.getMessage().contains("file=/tmp/rendezvous"))
                .verify(LIMIT);
    }
}
