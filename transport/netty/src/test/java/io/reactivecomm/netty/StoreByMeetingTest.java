package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.reactivecomm.CommConfig;
import io.reactivecomm.Meeting;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.host.Addresses;
import io.reactivecomm.netty.internal.host.OwnAddresses;
import io.reactivecomm.spi.rendezvous.MeetingCodec;
import io.reactivecomm.spi.rendezvous.MeetingRecord;
import io.reactivecomm.testkit.RisingDeadline;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Worlds that meet through an all-gather, and what becomes of those that do not. */
@Timeout(60)
class StoreByMeetingTest {

    private final List<ProcessGroup> groups = new ArrayList<>();
    private Set<Thread> before = Set.of();

    @BeforeEach
    void see() {
        before = threads();
    }

    /** Whatever became of the attempts, nothing of theirs runs any more: with its thread a store's port is gone. */
    @AfterEach
    void end() throws InterruptedException {
        groups.forEach(ProcessGroup::close);
        for (Thread each : threads()) {
            assertThat(before.contains(each) || each.join(MeshWorld.PATIENCE))
                    .as("%s ended", each)
                    .isTrue();
        }
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().matches("rcomm-(loop|control|store|all-gather).*"))
                .collect(Collectors.toSet());
    }

    private static CommConfig config(Meeting meeting) {
        return CommConfig.of("tcp://unused:1", meeting.rank(), meeting.size())
                .withMeeting(meeting)
                .withRendezvousTimeout(MeshWorld.PATIENCE);
    }

    private static CommConfig config(MemoryMeeting gather, int rank) {
        return config(gather.of(rank));
    }

    private void expectWorld(List<CommConfig> configs) {
        List<ProcessGroup> joined = Flux.fromIterable(configs)
                .flatMap(ReactiveComm::connect)
                .collectSortedList((a, b) -> Integer.compare(a.rank(), b.rank()))
                .block(MeshWorld.PATIENCE);
        groups.addAll(joined);
        assertThat(joined)
                .extracting(ProcessGroup::rank)
                .containsExactlyElementsOf(
                        configs.stream().map(CommConfig::rank).toList());
        Flux.fromIterable(joined).flatMap(ProcessGroup::barrier).blockLast(MeshWorld.PATIENCE);
    }

    private static List<CompletableFuture<ProcessGroup>> join(List<CommConfig> configs) {
        return configs.stream()
                .map(each -> ReactiveComm.connect(each).toFuture())
                .toList();
    }

    private static Throwable errorOf(CompletableFuture<ProcessGroup> attempt) throws Exception {
        try {
            attempt.get(20, TimeUnit.SECONDS).close();
            throw new AssertionError("it joined");
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    /** {@return the errors of all ranks, in order} */
    private static List<Throwable> expectErrors(List<CommConfig> configs, String... parts) throws Exception {
        List<Throwable> errors = new ArrayList<>();
        for (CompletableFuture<ProcessGroup> each : join(configs)) {
            Throwable error = errorOf(each);
            assertThat(error).isInstanceOf(RendezvousException.class).hasMessageContainingAll(parts);
            errors.add(error);
        }
        return errors;
    }

    private static MeetingRecord.Store store(MemoryMeeting gather, int size, int round) {
        return (MeetingRecord.Store)
                MeetingCodec.decodeAll(gather.said(round), size, 2).getFirst();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void ranksOfOneMachine_meetOnLoopback(int size) {
        MemoryMeeting gather = new MemoryMeeting(size);
        expectWorld(Flux.range(0, size)
                .map(rank -> config(gather, size - 1 - rank))
                .collectSortedList((a, b) -> a.rank() - b.rank())
                .block());

        assertThat(store(gather, size, 2).address().isLoopbackAddress()).isTrue();
        assertThat(store(gather, size, 2).token()).hasSize(64);
    }

    @Test
    void ranksOfSeveralMachines_meetBeyondLoopback() {
        assumeFalse(OwnAddresses.all().isEmpty(), "this machine has no address beyond loopback");
        MemoryMeeting gather = new MemoryMeeting(3);
        expectWorld(Flux.range(0, 3)
                .map(rank -> config(gather.of(rank).confidential()).withHostId("host " + rank / 2))
                .collectList()
                .block());

        assertThat(store(gather, 3, 2).address()).isEqualTo(OwnAddresses.all().getFirst());
        assertThat(store(gather, 3, 2).token()).hasSize(64);
    }

    @Test
    void ranksOfSeveralMachines_withoutAToken_getNoneByAnAllGatherThatMayBeOverheard() throws Exception {
        assumeFalse(OwnAddresses.all().isEmpty(), "this machine has no address beyond loopback");
        MemoryMeeting gather = new MemoryMeeting(2);
        List<CommConfig> configs = Flux.range(0, 2)
                .map(rank -> config(gather, rank).withHostId("host " + rank))
                .collectList()
                .block();
        expectErrors(configs, "no token is set", "machines=2", "RCOMM_TOKEN");

        expectWorld(configs.stream()
                .map(each -> each.withToken("0123456789012345678901"))
                .toList());
        assertThat(store(gather, 2, 4).token()).isNull();
    }

    @Test
    void plaintextThatOneDoesNotAccept_isRefusedOnAll_andTheAllGatherServesAgain() throws Exception {
        assumeFalse(OwnAddresses.all().isEmpty(), "this machine has no address beyond loopback");
        MemoryMeeting gather = new MemoryMeeting(3);
        List<CommConfig> closed = Flux.range(0, 3)
                .map(rank -> config(gather.of(rank).confidential())
                        .withHostId("host " + rank)
                        .withPlaintext(rank != 1))
                .collectList()
                .block();
        expectErrors(closed, "RCOMM_PLAINTEXT=1 is set on some ranks", "with=[0, 2]", "without=[1]");

        expectWorld(closed.stream().map(each -> each.withPlaintext(true)).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "lo"})
    void loopbackThatWasAskedFor_isTaken_alsoBySeveralMachines(String listener) throws IOException {
        assumeFalse(
                listener.equals("lo") && java.net.NetworkInterface.getByName("lo") == null,
                "loopback has another name here");
        MemoryMeeting gather = new MemoryMeeting(2);
        expectWorld(List.of(
                config(gather, 0).withHostId("a").withListener(listener, 0),
                config(gather, 1).withHostId("b")));

        assertThat(store(gather, 2, 2).address().isLoopbackAddress()).isTrue();
    }

    @Test
    void portThatWasAskedFor_isTaken() {
        MemoryMeeting gather = new MemoryMeeting(2);
        int port = UnusedPort.take();
        expectWorld(List.of(config(gather, 0).withListener("", port), config(gather, 1)));

        assertThat(store(gather, 2, 2).port()).isEqualTo(port);
    }

    @Test
    void listenerThatIsNotThere_isToldOnAll() throws Exception {
        MemoryMeeting gather = new MemoryMeeting(3);
        expectErrors(
                List.of(config(gather, 0).withListener("192.0.2.77", 0), config(gather, 1), config(gather, 2)),
                "RCOMM_LISTEN=192.0.2.77");
    }

    @Test
    void portThatIsTaken_isToldOnAll() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            MemoryMeeting gather = new MemoryMeeting(2);
            expectErrors(
                    List.of(config(gather, 0).withListener("127.0.0.1", taken.getLocalPort()), config(gather, 1)),
                    "the store cannot listen");
        }
    }

    @Test
    void tokenOfAll_isNotTold() {
        MemoryMeeting gather = new MemoryMeeting(2);
        expectWorld(
                List.of(config(gather, 0).withToken("mine"), config(gather, 1).withToken("mine")));

        assertThat(store(gather, 2, 2).token()).isNull();
    }

    @Test
    void tokenOfSome_isToldOnAll() throws Exception {
        MemoryMeeting gather = new MemoryMeeting(3);
        expectErrors(
                List.of(config(gather, 0), config(gather, 1).withToken("mine"), config(gather, 2)),
                "with=[1], without=[0, 2]");
    }

    @Test
    void token_isInNoLog() {
        Logger root = (Logger) LoggerFactory.getLogger("io.reactivecomm");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        root.addAppender(lines);
        root.setAdditive(false);
        Level level = root.getLevel();
        root.setLevel(Level.ALL);
        try {
            MemoryMeeting gather = new MemoryMeeting(2);
            expectWorld(List.of(config(gather, 0), config(gather, 1)));

            String token = store(gather, 2, 2).token();
            assertThat(store(gather, 2, 2).toString()).doesNotContain(token);
            assertThat(List.copyOf(lines.list))
                    .isNotEmpty()
                    .noneMatch(line -> line.getFormattedMessage().contains(token));
        } finally {
            root.setLevel(level);
            root.setAdditive(true);
            root.detachAppender(lines);
        }
    }

    @Test
    void rankThatFailsBefore_tellsAll() throws Exception {
        MemoryMeeting gather = new MemoryMeeting(3);
        List<Throwable> errors = expectErrors(
                List.of(config(gather, 0), config(gather, 1).withTransport("none"), config(gather, 2)),
                "no such transport",
                "transport=none");

        assertThat(errors.get(0)).hasMessageStartingWith("a rank does not join: rank=1");
        assertThat(errors.get(2)).hasMessage(errors.get(0).getMessage());
    }

    @Test
    void anotherPlaceThanTheAllGathers_isToldOnAll() throws Exception {
        MemoryMeeting gather = new MemoryMeeting(2);
        CommConfig other = CommConfig.of("tcp://unused:1", 1, 3)
                .withMeeting(gather.of(1))
                .withRendezvousTimeout(MeshWorld.PATIENCE);
        expectErrors(List.of(config(gather, 0), other), "of another place", "worldSize=3", "the all-gather's size=2");
    }

    private static UnaryOperator<List<byte[]>> replaced(int index, UnaryOperator<byte[]> change) {
        return all -> {
            List<byte[]> changed = new ArrayList<>(all);
            changed.set(index, change.apply(all.get(index).clone()));
            return changed;
        };
    }

    /** {@return faults of a function, with what the error says of each} */
    private static UnaryOperator<List<byte[]>> fault(String name) {
        return switch (name) {
            case "records=2, size=3" -> all -> all.subList(0, 2);
            case "bytes=10" -> replaced(2, all -> new byte[10]);
            case "bytes=none" -> replaced(2, all -> null);
            case "content=no record of this library" -> replaced(2, all -> new byte[all.length]);
            case "version=77" ->
                replaced(2, all -> {
                    all[4] = 77;
                    return all;
                });
            case "its rank=0" ->
                replaced(2, all -> {
                    all[11] = 0;
                    return all;
                });
            default -> throw new IllegalArgumentException(name);
        };
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "records=2, size=3",
                "bytes=10",
                "bytes=none",
                "content=no record of this library",
                "version=77",
                "its rank=0"
            })
    void nonsenseThatOneHears_isToldOnAll(String name) throws Exception {
        MemoryMeeting gather = new MemoryMeeting(3);
        gather.spoil(1, 1, fault(name));
        expectErrors(List.of(config(gather, 0), config(gather, 1), config(gather, 2)), name);
    }

    private static List<Throwable> errorsWithin(Duration deadline, MemoryMeeting gather) {
        try {
            return expectErrors(
                    List.of(
                            config(gather, 0).withRendezvousTimeout(deadline),
                            config(gather, 1).withRendezvousTimeout(deadline)),
                    ";");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Rank 0 waits for the other at its store, if it reaches that before its deadline. */
    @Test
    void nonsenseInTheLastRound_isAnErrorOfAll_inTime() {
        RisingDeadline.untilInTime(deadline -> {
            MemoryMeeting gather = new MemoryMeeting(2);
            gather.spoil(1, 2, all -> List.of());
            List<Throwable> errors = errorsWithin(deadline, gather);
            if (isOfTheDeadline(errors.get(0)) || isOfTheDeadline(errors.get(1))) {
                return false;
            }

            assertThat(errors.get(0)).hasMessageContaining("missing=[1]");
            assertThat(errors.get(1)).hasMessageContaining("records=0, size=2");
            return true;
        });
    }

    /** {@return whether the deadline struck before the rank was at the store} */
    private static boolean isOfTheDeadline(Throwable error) {
        return error.getMessage().contains("cause=no answer")
                || error.getMessage().contains("ranks are missing at the meeting");
    }

    @Test
    void storeThatOneDoesNotReach_isAnErrorThatNamesTheSetting() {
        byte[] unreachable = MeetingCodec.encode(
                new MeetingRecord.Store(
                        0, 2, Addresses.resolve("127.0.0.1", 0).getAddress(), UnusedPort.take(), "none"),
                2);
        RisingDeadline.untilInTime(deadline -> {
            MemoryMeeting gather = new MemoryMeeting(2);
            gather.spoil(1, 2, replaced(0, ignored -> unreachable));
            Throwable error = errorsWithin(deadline, gather).get(1);
            if (error.getMessage().contains("ranks are missing at the meeting")) {
                return false;
            }

            assertThat(error).hasMessageContainingAll("cannot reach the store", "RCOMM_LISTEN");
            return true;
        });
    }

    @Test
    void rankThatDoesNotCome_isATimeout_andHearsWhyWhenItDoes() throws Exception {
        MemoryMeeting gather = new MemoryMeeting(3);
        List<CommConfig> patient = List.of(
                config(gather, 0).withRendezvousTimeout(Duration.ofMillis(300)),
                config(gather, 1).withRendezvousTimeout(Duration.ofMillis(300)));
        expectErrors(patient, "ranks are missing at the meeting", "round=1 of 2");

        expectErrors(List.of(config(gather, 2)), "a rank does not join: rank=0", "ranks are missing at the meeting");
    }

    @Test
    void cancelledRank_leavesNothing_andTheOthersHearOfIt() throws Exception {
        MemoryMeeting gather = new MemoryMeeting(3);
        Disposable cancelled = ReactiveComm.connect(config(gather, 1)).subscribe();
        List<CompletableFuture<ProcessGroup>> others = new ArrayList<>(join(List.of(config(gather, 0))));
        cancelled.dispose();
        others.addAll(join(List.of(config(gather, 2))));

        for (CompletableFuture<ProcessGroup> each : others) {
            assertThat(errorOf(each))
                    .isInstanceOf(RendezvousException.class)
                    .hasMessageContainingAll("a rank does not join: rank=1", "cancelled");
        }
    }

    /** An all-gather that only fails. */
    private record Broken(Mono<List<byte[]>> answer) implements Meeting {

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public int size() {
            return 2;
        }

        @Override
        public Mono<List<byte[]>> allGather(byte[] own) {
            return answer;
        }
    }

    @Test
    void functionThatFails_isTheCause() throws Exception {
        IOException cause = new IOException("the network is down");
        List<Throwable> errors =
                expectErrors(List.of(config(new Broken(Mono.error(cause)))), "round=1 of 2", "the network is down");

        assertThat(errors.getFirst()).hasCause(cause);
    }

    @Test
    void functionThatGivesNothing_isAnError() throws Exception {
        expectErrors(List.of(config(new Broken(Mono.empty()))), "without records");
        expectErrors(List.of(config(new Broken(null))), "an all-gather failed");
    }

    @Test
    void functionThatBlocks_serves() {
        byte[][] table = new byte[2][];
        CyclicBarrier all = new CyclicBarrier(2);
        expectWorld(Flux.range(0, 2)
                .map(rank -> config(Meeting.blocking(rank, 2, own -> {
                    table[rank] = own;
                    all.await();
                    List<byte[]> records = List.of(table.clone());
                    all.await();
                    return records;
                })))
                .collectList()
                .block());
    }

    /** A function that never returns must not keep its thread: the rank interrupts it once the attempt has failed and as much time again is over. */
    @Test
    void functionThatDoesNotReturn_isInterrupted_whenItsAttemptHasFailed() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        Meeting endless = Meeting.blocking(0, 2, own -> {
            try {
                new CountDownLatch(1).await();
                return List.of();
            } finally {
                interrupted.countDown();
            }
        });
        expectErrors(
                List.of(config(endless).withRendezvousTimeout(Duration.ofMillis(300))),
                "ranks are missing at the meeting");

        assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void functionThatBlocks_andThrows_isTheCause() throws Exception {
        expectErrors(
                List.of(config(Meeting.blocking(0, 2, own -> {
                    throw new IOException("no such communicator");
                }))),
                "no such communicator");
        expectErrors(
                List.of(config(Meeting.blocking(0, 2, own -> {
                    throw new OutOfMemoryError("made up");
                }))),
                "made up");
    }
}
