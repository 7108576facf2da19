package io.reactivecomm.observability.watch;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.internal.base.Providers;
import io.reactivecomm.internal.live.ReportCodec;
import io.reactivecomm.internal.live.WatchedWorld;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.spi.BoardAccess;
import io.reactivecomm.spi.BoardPage;
import io.reactivecomm.spi.BoardReader;
import io.reactivecomm.spi.JobBoard;
import io.reactivecomm.spi.WorkThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * A watch over a job from outside: what each of its ranks does, and whom it waits for. Ranks publish that while somebody watches, and
 * {@link JobBoard#LEASE} longer if the watcher does not say goodbye; else they do nothing for it. Immutable.
 *
 * <pre>{@code
 * JobWatch.of(ReactiveComm.local(4)).snapshots().map(JobSnapshot::late).subscribe(System.out::println);
 * }</pre>
 */
public final class JobWatch {

    private static final Logger LOG = LoggerFactory.getLogger(JobWatch.class);

    /** Often enough for a person. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(1);

    /** A rank that has not published for so many intervals, and so long, is called silent. */
    private static final int SILENT_INTERVALS = 3;

    private static final Duration LEAST_SILENCE = Duration.ofSeconds(3);

    private static final Scheduler LATER = WorkThreads.timer("rcomm-looks");

    private static final JobSnapshot UNKNOWN = new JobSnapshot(Instant.EPOCH, 0, List.of(), false);

    private final Mono<BoardReader> board;
    private final Duration every;

    JobWatch(Mono<BoardReader> board, Duration every) {
        this.board = board;
        this.every = every;
    }

    /**
     * {@return a watch over the job whose ranks meet there}
     *
     * @param place the address of its store and its token, as a rank has them; rank and world size are of no account. On loopback, without a token, that of
     *     a job of this user is found as ranks find it
     */
    public static JobWatch of(CommConfig place) {
        return new JobWatch(
                Mono.fromSupplier(() -> requireAddress(place)).flatMap(known -> access().open(known)),
                DEFAULT_INTERVAL);
    }

    /** {@return a watch over a world in this JVM} */
    public static JobWatch of(LocalWorld world) {
        if (world instanceof WatchedWorld watched) {
            return new JobWatch(Mono.fromSupplier(watched::board), DEFAULT_INTERVAL);
        }
        throw new InvalidCallException("a local world that cannot be watched: class="
                + world.getClass().getName() + "; give one that ReactiveComm.local has made");
    }

    /** {@return the jobs on this machine that this user can watch without naming a token: their stores on loopback} May block. */
    public static List<StoreAddress> jobsHere() {
        return access().jobsHere();
    }

    private static BoardAccess access() {
        Providers<BoardAccess> providers = Providers.of(BoardAccess.class);
        return providers.loaded().stream()
                .findFirst()
                .orElseThrow(
                        () -> new CommException("nothing on the class path can watch other processes: boardAccess=none"
                                + providers.failuresText() + "; add reactive-comm-netty to the class path"));
    }

    private static CommConfig requireAddress(CommConfig place) {
        if (place.file() != null) {
            throw new RendezvousException(
                    "a job is not watched by its rendezvous file, which goes when all ranks have come: file="
                            + place.file() + "; give the address that rank 0 logs, and the job's token");
        }
        return place;
    }

    /** {@return a copy that looks in that interval, and has ranks publish in it; 100 ms to 10 s} */
    public JobWatch every(Duration interval) {
        if (interval.compareTo(JobBoard.SHORTEST_INTERVAL) < 0 || interval.compareTo(JobBoard.LONGEST_INTERVAL) > 0) {
            throw new InvalidCallException("an interval of watching is out of range: interval=" + interval + "; choose "
                    + JobBoard.SHORTEST_INTERVAL + " to " + JobBoard.LONGEST_INTERVAL);
        }
        return new JobWatch(board, interval);
    }

    /**
     * {@return the job, in each interval, until it has ended}
     *
     * <p>In the first, ranks have been asked and have told nothing yet; rates are known from the third on. The last one {@linkplain JobSnapshot#isOver()
     * is over}: the job's store has gone.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription connects and watches by itself. Cancelling ends it, and ranks publish no more. It looks
     * when there is demand: who takes snapshots slowly gets new ones, and no old ones.
     *
     * <p><b>Threads.</b> Signals come on threads that must not be blocked.
     *
     * <p><b>Errors.</b> {@link RendezvousException} if the job cannot be reached, its token differs, {@value JobBoard#MAX_WATCHERS} watch it already, its store does
     * not answer for ten seconds, or what it answers has no end. A rank whose report makes no sense is shown without one.
     */
    public Flux<JobSnapshot> snapshots() {
        return Flux.usingWhen(
                board,
                this::snapshots,
                reader -> Mono.fromRunnable(reader::close).subscribeOn(WorkThreads.shared()));
    }

    private Flux<JobSnapshot> snapshots(BoardReader reader) {
        AtomicReference<JobSnapshot> last = new AtomicReference<>(UNKNOWN);
        return look(reader)
                .switchIfEmpty(Mono.fromSupplier(() -> last.get().over()))
                .doOnNext(last::set)
                .repeatWhen(looked -> looked.delayElements(every, LATER))
                .takeUntil(JobSnapshot::isOver);
    }

    /** {@return the job now; empty if it has gone} */
    private Mono<JobSnapshot> look(BoardReader reader) {
        return Mono.defer(() -> {
            PageBounds bounds = new PageBounds();
            return page(reader, 0, bounds)
                    .expand(page -> page.next() == BoardPage.LAST ? Mono.empty() : page(reader, page.next(), bounds))
                    .take(PageBounds.MOST_PAGES)
                    .collectList()
                    .filter(pages -> !pages.isEmpty())
                    .map(this::snapshot);
        });
    }

    private Mono<BoardPage> page(BoardReader reader, int first, PageBounds bounds) {
        return reader.look(first, every).doOnNext(page -> bounds.take(first, page));
    }

    private JobSnapshot snapshot(List<BoardPage> pages) {
        int worldSize = pages.getFirst().worldSize();
        Map<Integer, BoardPage.Entry> entries = new HashMap<>();
        Map<Integer, RankReport> reports = new HashMap<>();
        for (BoardPage page : pages) {
            for (BoardPage.Entry entry : page.entries()) {
                entries.put(entry.rank(), entry);
                report(entry).ifPresent(report -> reports.put(entry.rank(), report));
            }
        }
        Set<Integer> lost = reports.values().stream()
                .flatMap(report -> report.lost().stream())
                .collect(Collectors.toSet());
        List<RankStatus> ranks = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            ranks.add(status(rank, entries.get(rank), Optional.ofNullable(reports.get(rank)), lost.contains(rank)));
        }
        return new JobSnapshot(Instant.now(), worldSize, ranks, false);
    }

    /** One rank that makes no sense keeps nobody from seeing the others. */
    private static Optional<RankReport> report(BoardPage.Entry entry) {
        if (entry.record().length == 0) {
            return Optional.empty();
        }
        try {
            return Optional.of(ReportCodec.decode(entry.record()));
        } catch (RendezvousException e) {
            LOG.debug("shows a rank without its report: rank={}", entry.rank(), e);
            return Optional.empty();
        }
    }

    private RankStatus status(int rank, BoardPage.@Nullable Entry entry, Optional<RankReport> report, boolean isLost) {
        Duration since = entry == null ? Duration.ZERO : Duration.ofMillis(entry.sinceMillis());
        return new RankStatus(rank, isLost ? RankStatus.State.LOST : state(entry, since), since, report);
    }

    private RankStatus.State state(BoardPage.@Nullable Entry entry, Duration since) {
        if (entry == null) {
            return RankStatus.State.ABSENT;
        }
        if (!entry.isPresent()) {
            return RankStatus.State.LEFT;
        }
        if (since.compareTo(LEAST_SILENCE) > 0 && since.compareTo(every.multipliedBy(SILENT_INTERVALS)) > 0) {
            return RankStatus.State.SILENT;
        }
        return entry.record().length > 0 ? RankStatus.State.PUBLISHING : RankStatus.State.ASKED;
    }
}
