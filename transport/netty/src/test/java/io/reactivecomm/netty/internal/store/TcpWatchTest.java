package io.reactivecomm.netty.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.observability.watch.JobSnapshot;
import io.reactivecomm.observability.watch.JobWatch;
import io.reactivecomm.netty.NettyBoardAccess;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.spi.BoardPage;
import io.reactivecomm.spi.BoardReader;
import io.reactivecomm.spi.JobBoard;
import io.reactivecomm.testkit.ConnectedWorlds;
import io.reactivecomm.testkit.group.WatchContract;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** The contract of watching, over the store of ranks that are connected by TCP; and what only happens there. */
class TcpWatchTest extends WatchContract {

    private static final String TOKEN = "watched";

    /** Of the store alone: that of leases. */
    private final ManualTimers timers = new ManualTimers();

    private @Nullable StoreServer store;
    private List<ProcessGroup> groups = List.of();

    @AfterEach
    void endStore() {
        endWorld();
    }

    private void beginStore() {
        store = StoreServer.start(
                        "127.0.0.1", 0, TOKEN, Encryption.BETWEEN_HOSTS, TransportOptions.DEFAULT.withTimers(timers))
                .block(LIMIT);
    }

    private StoreServer store() {
        return Objects.requireNonNull(store);
    }

    private CommConfig config(int rank, int size) {
        return CommConfig.of(rank, size, "127.0.0.1", store().port())
                .withTransport("tcp")
                .withStoreHosted(true)
                .withToken(TOKEN);
    }

    private List<ProcessGroup> connect(int size) {
        groups = Objects.requireNonNull(Flux.range(0, size)
                .flatMap(rank -> ReactiveComm.connect(config(rank, size)), size)
                .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                .block(LIMIT));
        return groups;
    }

    @Override
    public World open(int size) {
        beginStore();
        List<ProcessGroup> world = connect(size);
        return new World() {
            @Override
            public List<ProcessGroup> groups() {
                return world;
            }

            @Override
            public void close() {
                endWorld();
            }
        };
    }

    @Override
    public long slackBytes() {
        return ConnectedWorlds.POOLED_BYTES;
    }

    private <T> T ofBoard(Function<JobBoard, T> question) {
        return Objects.requireNonNull(store().onBoard(question).block(LIMIT));
    }

    @Override
    protected JobWatch watch() {
        return JobWatch.of(config(0, 1)).every(JobBoard.SHORTEST_INTERVAL);
    }

    @Override
    protected long records() {
        return ofBoard(JobBoard::records);
    }

    @Override
    protected int waitingRanks() {
        return ofBoard(JobBoard::waitingRanks);
    }

    @Override
    protected void endWorld() {
        groups.forEach(ProcessGroup::close);
        groups = List.of();
        if (store != null) {
            store.close();
        }
    }

    @Test
    void watcher_thatComesFirst_seesRanksAsTheyCome() {
        beginStore();
        JobSnapshot job = watch().snapshots()
                .doOnNext(each -> {
                    if (each.worldSize() == 0 && groups.isEmpty()) {
                        // Before these have come, and not on the watcher's own thread.
                        groups = CompletableFuture.supplyAsync(() -> connect(2)).join();
                    }
                })
                .filter(each -> each.worldSize() == 2 && each.isComplete())
                .blockFirst(LIMIT);
        assertThat(job).isNotNull();
    }

    /** Its connection stands, and nothing comes over it any more. */
    @Test
    void watcher_thatIsStopped_isForgottenAfterItsLease() {
        world(2);
        try (BoardReader stopped =
                Objects.requireNonNull(new NettyBoardAccess().open(config(0, 1)).block(LIMIT))) {
            stopped.look(0, JobBoard.SHORTEST_INTERVAL).block(LIMIT);
            awaitRecords(4);
            assertThat(waitingRanks()).isZero();
            timers.advance(JobBoard.LEASE.toNanos());
            awaitWaiting(2);
            long told = records();
            assertThat(ofBoard(JobBoard::keptBytes)).isZero();
            assertThat(stopped.look(0, JobBoard.SHORTEST_INTERVAL).block(LIMIT)).isNotNull();
            awaitRecords(told + 2);
        }
        awaitWaiting(2);
    }

    /** The ranks of a job that fails end before the watcher's next look. */
    @Test
    void job_thatFailsAndEndsBetweenTwoLooks_isSeenOnceMoreAsItWas() {
        List<ProcessGroup> world = world(2);
        try (BoardReader reader =
                Objects.requireNonNull(new NettyBoardAccess().open(config(0, 1)).block(LIMIT))) {
            reader.look(0, JobBoard.LONGEST_INTERVAL).block(LIMIT);
            awaitRecords(2);
            world.get(1).abort("the disk is full");
            awaitRecords(4);
            endWorld();
            long until = System.nanoTime() + LIMIT.toNanos();
            // To ask a store that has closed would reset the connection, and what has come over it unread.
            while (!((WatchClient) reader).isGone()) {
                assertThat(System.nanoTime()).isLessThan(until);
                Thread.onSpinWait();
            }
            BoardPage last = Objects.requireNonNull(
                    reader.look(0, JobBoard.LONGEST_INTERVAL).block(LIMIT));
            assertThat(last.entries())
                    .hasSize(2)
                    .anySatisfy(entry -> assertThat(new String(entry.record(), StandardCharsets.UTF_8))
                            .contains("the disk is full"));
            assertThat(reader.look(0, JobBoard.LONGEST_INTERVAL).blockOptional(LIMIT))
                    .isEmpty();
        }
    }

    private void awaitRecords(long count) {
        long until = System.nanoTime() + LIMIT.toNanos();
        while (records() < count) {
            assertThat(System.nanoTime())
                    .as("records: %d of %d", records(), count)
                    .isLessThan(until);
            Thread.onSpinWait();
        }
    }
}
