package io.reactivecomm.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.internal.timeline.EventWriter;
import io.reactivecomm.observability.trace.MergedTimeline;
import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.testkit.StubCall;
import io.reactivecomm.timeline.Trace.Slice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.util.context.Context;
import tools.jackson.databind.JsonNode;

/** The file of a timeline, by what it is told. */
@Timeout(60)
class TimelineTest {

    private static final long BEGUN = 5_000_000_000_123L;

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("new/trace.json");
    }

    private Trace trace() throws IOException {
        return Trace.read(file());
    }

    private static void begin(Timeline timeline, StubCall call) {
        timeline.subscribed(call, Context.empty());
    }

    private static void run(Timeline timeline, StubCall call, long nanos) {
        begin(timeline, call);
        timeline.ended(call, null, call.subscribedAt() + nanos);
    }

    private static List<Thread> writers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rcomm-timeline"))
                .toList();
    }

    @Test
    void call_isASlice_withItsPhasesInIt_toTheNanosecond() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            StubCall call = new StubCall(3, "layer1#4", BEGUN);
            begin(timeline, call);
            timeline.matched(call, 1, BEGUN + 12);
            timeline.matched(call, 0, BEGUN + 30);
            timeline.ended(call, null, BEGUN + 100);
        }
        Slice call = trace().call(3, "all-reduce");
        assertThat(List.of(call.from(), call.to())).containsExactly(BEGUN, BEGUN + 100);
        assertThat(trace().phases(call)).extracting(Slice::name).containsExactly("queued", "matching", "wire", "fold");
        assertThat(trace().phases(call))
                .extracting(phase -> phase.to() - phase.from())
                .containsExactly(10L, 20L, 30L, 40L);
        assertThat(trace().lanes(3)).containsEntry(1, "events").containsEntry(call.lane(), "world · links");
        assertThat(call.args().toString())
                .isEqualTo(
                        "{\"call\":\"layer1#4\",\"group\":\"0\",\"groupSize\":2,\"type\":\"FLOAT32\","
                                + "\"reduction\":\"SUM\",\"algorithm\":\"ring\",\"backend\":\"links\",\"count\":256,\"bytes\":1024}");
        assertThat(trace().end(3, "all-reduce").toString())
                .isEqualTo(
                        "{\"joinedLast\":0,\"payloadBytes\":2048,\"queuedNanos\":10,\"matchingNanos\":20,\"wireNanos\":30,\"foldNanos\":40}");
    }

    @Test
    void calls_thatOverlap_haveLanesOfTheirOwn_whichAreUsedAgain() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            StubCall first = new StubCall(0, "#0", BEGUN);
            StubCall second = new StubCall(0, "#1", BEGUN + 50);
            begin(timeline, first);
            begin(timeline, second);
            timeline.ended(first, null, BEGUN + 100);
            timeline.ended(second, null, BEGUN + 150);
            run(timeline, new StubCall(0, "#2", BEGUN + 160), 100);
            run(timeline, new StubCall(0, "told of late", BEGUN + 200), 100);
        }
        List<Slice> calls = trace().calls(0);
        assertThat(calls.get(1).lane()).isNotEqualTo(calls.get(0).lane());
        assertThat(calls.get(2).lane()).isEqualTo(calls.get(0).lane());
        assertThat(calls.get(3).lane()).isEqualTo(calls.get(1).lane());
        assertThat(trace().lanes(0).values()).containsExactlyInAnyOrder("events", "world · links", "world · links (2)");
    }

    @Test
    void tracks_areOfRankGroupAndEngine() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            run(timeline, new StubCall(0, "#0", BEGUN), 100);
            run(timeline, new StubCall(0, "#1", BEGUN + 200).in(0, "nccl"), 100);
            run(timeline, new StubCall(0, "#0", BEGUN + 400).in(-1, "links"), 100);
            run(timeline, new StubCall(2, "#0", BEGUN + 400).in(-1, "links"), 100);
        }
        assertThat(trace().calls(0))
                .extracting(call -> lane(0, call))
                .containsExactly("world · links", "world · nccl", "group 18446744073709551615 · links");
        assertThat(trace().calls(2))
                .extracting(call -> lane(2, call))
                .containsExactly("group 18446744073709551615 · links");
    }

    private String lane(int rank, Slice call) {
        try {
            return trace().lanes(rank).get(call.lane());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void groups_beyondThoseThatAreToldApart_shareATrack() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            for (int group = 1; group <= Tracks.MOST + 2; group++) {
                run(timeline, new StubCall(0, "#0", BEGUN + 200L * group).in(group, "links"), 100);
            }
        }
        Map<Integer, String> lanes = trace().lanes(0);
        assertThat(lanes.values().stream().filter("further groups"::equals)).hasSize(1);
        assertThat(lanes).hasSize(1 + Tracks.MOST + 1);
    }

    @Test
    void failure_saysWhatItWas() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            StubCall call = new StubCall(0, "#0", BEGUN);
            begin(timeline, call);
            timeline.ended(call, new IllegalStateException("no \"disk\" " + "x".repeat(5000)), BEGUN + 100);
        }
        JsonNode end = trace().end(0, "all-reduce");
        assertThat(end.get("error").asString()).isEqualTo("IllegalStateException");
        assertThat(end.get("cause").asString()).startsWith("no \"disk\" x").hasSizeLessThan(2100);
    }

    /** The loop's time is that of its turn, and a call may have been subscribed to in that. */
    @Test
    void end_thatIsBeforeItsBeginning_isAtIt_andPhasesLieWithin() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            run(timeline, new StubCall(0, "#0", BEGUN), -7);
            run(timeline, new StubCall(0, "#1", BEGUN + 10), 35);
        }
        List<Slice> calls = trace().calls(0);
        assertThat(calls.getFirst().to()).isEqualTo(BEGUN);
        assertThat(trace().phases(calls.get(1))).extracting(Slice::name).containsExactly("queued", "matching", "wire");
    }

    @Test
    void events_areMomentsOfTheirRank() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            timeline.happened(
                    new CommEvent.Waiting(1, BEGUN, 7, "layer1#0", List.of(2), List.of(3), "all-reduce is waiting"));
            timeline.happened(new CommEvent.PeerLost(1, BEGUN + 1, 2, "the cable is cut"));
            timeline.happened(new CommEvent.LoopHeld(1, BEGUN + 2, 3, 1_500_000_000, "Main.work"));
            timeline.happened(new CommEvent.LoopHeld(1, BEGUN + 3, 3, 0, ""));
            timeline.happened(new CommEvent.GroupFailed(1, BEGUN + 4, 7, "rank 2 is lost"));
            timeline.happened(new CommEvent.ClockCompared(1, BEGUN + 5, 0, -44, 9));
            timeline.happened(new CommEvent.WorldLeft(1, BEGUN + 6));
        }
        assertThat(trace().of("i")).allSatisfy(event -> {
            assertThat(Trace.rank(event)).isEqualTo(1);
            assertThat(event.get("tid").asInt()).isEqualTo(EventWriter.EVENTS);
        });
        assertThat(trace().of("i"))
                .extracting(event -> event.get("name").asString() + " " + event.get("args"))
                .containsExactly(
                        "waiting for layer1#0 {\"group\":\"7\",\"late\":\"[2]\",\"silent\":\"[3]\",\"text\":\"all-reduce is waiting\"}",
                        "rank 2 is lost {\"cause\":\"the cable is cut\"}",
                        "loop of rank 3 does not turn {\"forNanos\":1500000000,\"doing\":\"Main.work\"}",
                        "loop of rank 3 turns again {\"forNanos\":0,\"doing\":\"\"}",
                        "group has failed {\"group\":\"7\",\"cause\":\"rank 2 is lost\"}",
                        "clock {\"other\":0,\"offsetNanos\":-44,\"boundNanos\":9}",
                        "left the world {}");
    }

    /** The writer waits for the label of the first call; meanwhile nobody takes anything out. */
    @Test
    void records_thatHaveNoRoom_areLeftOut_andTheTraceSaysHowMany() throws Exception {
        CountDownLatch isWriting = new CountDownLatch(1);
        CountDownLatch mayWrite = new CountDownLatch(1);
        StubCall slow = new StubCall(0, "#0", BEGUN) {
            @Override
            public String label() {
                isWriting.countDown();
                await(mayWrite);
                return super.label();
            }
        };
        Timeline timeline = Timeline.to(file(), 8, 8);
        try {
            run(timeline, slow, 100);
            await(isWriting);
            for (int i = 1; i <= 20; i++) {
                run(timeline, new StubCall(0, "#" + i, BEGUN + 1000 * i), 100);
            }
        } finally {
            mayWrite.countDown();
            timeline.close();
        }
        int written = trace().calls(0).size();
        long records = timeline.leftOut();
        assertThat(records).isGreaterThan(10);
        assertThat(trace().moments("records left out")
                        .getLast()
                        .get("args")
                        .get("count")
                        .asLong())
                .isEqualTo(records);
        assertThat(MergedTimeline.of(List.of(file())).gaps())
                .singleElement()
                .asString()
                .contains("records were left out", "records=" + records);
        // Each that was begun has ended; what is left out of the others is a beginning, and maybe the end.
        assertThat(written).isLessThan(20);
        assertThat(trace().slices()).isNotEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void calls_beyondThoseThatMayBeOpen_areLeftOut() throws Exception {
        try (Timeline timeline = Timeline.to(file(), Timeline.RECORDS, 10)) {
            for (int i = 0; i < 15; i++) {
                begin(timeline, new StubCall(0, "#" + i, BEGUN));
            }
            timeline.flush();
            assertThat(timeline.leftOut()).isEqualTo(5);
        }
        assertThat(trace().of("B")).hasSize(10);
        assertThat(trace().of("E")).hasSize(10).allMatch(end -> end.get("args").has("unfinished"));
    }

    /** A place that calls are told of, for {@link Timeline#observe}. */
    private static final class Place {

        private @Nullable CommObserver observer;

        private Disposable observe(CommObserver hearing) {
            observer = hearing;
            return () -> {};
        }

        private CommObserver observer() {
            return Objects.requireNonNull(observer);
        }
    }

    /** As a job does that records a part of itself now and then, with calls under way each time. */
    @Test
    void calls_thatAreUnderWay_asTheirObservingEnds_endInTheTrace_andTakeNoRoom() throws Exception {
        try (Timeline timeline = Timeline.to(file(), Timeline.RECORDS, 4)) {
            for (int round = 0; round < 10; round++) {
                Place place = new Place();
                Disposable observing = timeline.observe(place::observe);
                StubCall whole = new StubCall(0, "whole", BEGUN + 1000 * round);
                StubCall cut = new StubCall(0, "cut", BEGUN + 1000 * round + 500);
                place.observer().subscribed(whole, Context.empty());
                place.observer().ended(whole, null, whole.subscribedAt() + 100);
                place.observer().subscribed(cut, Context.empty());
                observing.dispose();
                observing.dispose();
                timeline.flush();
                place.observer().ended(cut, null, cut.subscribedAt() + 100);
                place.observer().subscribed(new StubCall(0, "told late", BEGUN), Context.empty());
            }
            assertThat(timeline.leftOut()).isZero();
            assertThat(trace().of("B")).hasSize(20);
            assertThat(trace().of("E"))
                    .as("none is left for the end of the part")
                    .hasSize(20);
            assertThat(trace().of("E").stream().filter(end -> end.get("args").has("unfinished")))
                    .hasSize(10);
        }
        assertThat(trace().calls(0)).hasSize(20);
    }

    @Test
    void timeline_thatIsClosed_endsItsObserving() throws Exception {
        Place place = new Place();
        boolean[] isEnded = new boolean[2];
        Timeline timeline = Timeline.to(file());
        timeline.observe(hearing -> {
            place.observe(hearing);
            return () -> isEnded[0] = true;
        });
        place.observer().subscribed(new StubCall(0, "#0", BEGUN), Context.empty());
        timeline.close();
        timeline.observe(hearing -> () -> isEnded[1] = true);
        assertThat(isEnded).containsOnly(true);
        assertThat(trace().of("E"))
                .singleElement()
                .satisfies(end -> assertThat(end.get("args").has("unfinished")).isTrue());
        assertThat(writers()).isEmpty();
    }

    private static void requireNoWriter() throws InterruptedException {
        for (Thread writer : writers()) {
            assertThat(writer.join(Duration.ofSeconds(30))).isTrue();
        }
    }

    /** Nobody hears that its rank leaves. */
    @Test
    void writer_doesNotWait_forRanksThatAreNotObservedAnyMore() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            Place place = new Place();
            Disposable observing = timeline.observe(place::observe);
            StubCall call = new StubCall(0, "#0", BEGUN);
            place.observer().subscribed(call, Context.empty());
            place.observer().ended(call, null, BEGUN + 100);
            timeline.flush();
            observing.dispose();
            requireNoWriter();
        }
    }

    @Test
    void writer_doesNotWait_forARankThatHasLeft_whateverIsToldOfItLater() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            run(timeline, new StubCall(0, "#0", BEGUN), 100);
            timeline.happened(new CommEvent.WorldLeft(0, BEGUN + 200));
            StubCall refused = new StubCall(0, "#1", BEGUN + 300);
            begin(timeline, refused);
            timeline.ended(refused, new IllegalStateException("the group is closed"), BEGUN + 301);
            timeline.happened(new CommEvent.GroupFailed(0, BEGUN + 400, 0, "told by a loop that was held"));
            timeline.flush();
            requireNoWriter();
        }
        assertThat(trace().calls(0)).hasSize(2);
    }

    /** The writer waits for the label of the first call; behind it the ring fills with ends of calls that have no beginning. */
    @Test
    void calls_whoseEndsHaveNoRoom_endInTheTrace_andTakeNoRoom() throws Exception {
        CountDownLatch isWriting = new CountDownLatch(1);
        CountDownLatch mayWrite = new CountDownLatch(1);
        try (Timeline timeline = Timeline.to(file(), 8, 3)) {
            StubCall one = new StubCall(0, "#1", BEGUN + 10);
            StubCall other = new StubCall(0, "#2", BEGUN + 20);
            try {
                run(
                        timeline,
                        new StubCall(0, "#0", BEGUN) {
                            @Override
                            public String label() {
                                isWriting.countDown();
                                await(mayWrite);
                                return super.label();
                            }
                        },
                        5);
                await(isWriting);
                begin(timeline, one);
                begin(timeline, other);
                for (int i = 0; i < 4; i++) {
                    timeline.ended(new StubCall(0, "unknown", BEGUN), null, BEGUN);
                }
                timeline.ended(one, null, BEGUN + 30);
                timeline.ended(other, null, BEGUN + 40);
                timeline.happened(new CommEvent.WorldLeft(0, BEGUN + 50));
            } finally {
                mayWrite.countDown();
            }
            timeline.flush();
            long before = timeline.leftOut();
            requireNoWriter();
            assertThat(trace().calls(0)).extracting(Slice::to).containsExactly(BEGUN + 5, BEGUN + 30, BEGUN + 40);
            for (int i = 3; i < 6; i++) {
                begin(timeline, new StubCall(0, "#" + i, BEGUN + 100));
                timeline.flush();
            }
            assertThat(timeline.leftOut()).isEqualTo(before).isEqualTo(3);
        }
        assertThat(trace().calls(0)).hasSize(6);
    }

    @Test
    void part_canBeRead_whileItIsWritten_andHasWhatIsUnderWay() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            run(timeline, new StubCall(0, "#0", BEGUN), 100);
            begin(timeline, new StubCall(0, "#1", BEGUN + 200));
            timeline.flush();
            assertThat(Files.readString(file())).doesNotContain("]");
            assertThat(trace().of("B")).hasSize(2);
            assertThat(trace().of("E")).hasSize(1);
        }
        assertThat(trace().slices()).extracting(Slice::name).contains("all-reduce");
        assertThat(Files.readString(file())).endsWith("]\n");
    }

    @Test
    void file_thatWasThereBefore_isKept() throws Exception {
        Files.createDirectories(file().getParent());
        Files.writeString(file(), "yesterday's");
        try (Timeline timeline = Timeline.to(file())) {
            run(timeline, new StubCall(0, "#0", BEGUN), 100);
        }
        assertThat(Files.readString(folder.resolve("new/trace.json.before"))).isEqualTo("yesterday's");
        assertThat(trace().calls(0)).hasSize(1);
    }

    @Test
    void file_thatAnotherTimelineWrites_isLeftToIt() throws Exception {
        try (Timeline first = Timeline.to(file());
                Timeline second = Timeline.to(file())) {
            run(first, new StubCall(0, "#0", BEGUN), 100);
            first.flush();
            run(second, new StubCall(1, "#0", BEGUN), 100);
            second.flush();
            run(first, new StubCall(0, "#1", BEGUN + 200), 100);
        }
        assertThat(trace().calls(0)).hasSize(2);
        assertThat(trace().calls(1)).isEmpty();
        assertThat(folder.resolve("new/trace.json.before")).doesNotExist();
    }

    @Test
    void file_thatAnotherTimelineHasBegunAnew_isLeftToIt() throws Exception {
        try (Timeline first = Timeline.to(file());
                Timeline second = Timeline.to(file())) {
            run(first, new StubCall(0, "#0", BEGUN), 100);
            first.happened(new CommEvent.WorldLeft(0, BEGUN + 150));
            first.flush();
            requireNoWriter();
            run(second, new StubCall(1, "#0", BEGUN), 100);
            second.flush();
            run(first, new StubCall(0, "#1", BEGUN + 200), 100);
            first.flush();
        }
        assertThat(trace().calls(0)).isEmpty();
        assertThat(trace().calls(1)).hasSize(1);
    }

    @Test
    void closed_hearsNothing_andLeavesNoThread() throws Exception {
        Timeline timeline = Timeline.to(file());
        run(timeline, new StubCall(0, "#0", BEGUN), 100);
        timeline.close();
        run(timeline, new StubCall(0, "#1", BEGUN + 200), 100);
        timeline.flush();
        timeline.close();
        assertThat(trace().calls(0)).hasSize(1);
        assertThat(writers()).isEmpty();
    }

    @Test
    void timeline_thatHeardNothing_isAnEmptyTrace_ofWhichNoneIsMade() throws Exception {
        Timeline.to(file()).close();
        assertThat(trace().slices()).isEmpty();
        assertThatThrownBy(() -> MergedTimeline.of(List.of(file())))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining("no event in any part: parts=1");
    }

    static boolean hasFullDevice() {
        return Files.isWritable(Path.of("/dev/full"));
    }

    @Test
    @EnabledIf("hasFullDevice")
    void fullDisk_endsTheRecording_andNothingElse() {
        try (Timeline timeline = Timeline.to(Path.of("/dev/full"))) {
            run(timeline, new StubCall(0, "#0", BEGUN), 100);
            timeline.flush();
            for (int i = 0; i < Timeline.RECORDS; i++) {
                run(timeline, new StubCall(0, "#1", BEGUN), 100);
            }
            assertThat(timeline.leftOut())
                    .as("it was told once, and is not counted")
                    .isZero();
        }
        assertThat(writers()).isEmpty();
    }

    @Test
    void callThatCannotBeDescribed_endsTheRecording_andNothingElse() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            begin(timeline, new StubCall(0, "#0", BEGUN) {
                @Override
                public String label() {
                    throw new IllegalStateException("planted");
                }
            });
            timeline.flush();
            run(timeline, new StubCall(0, "#1", BEGUN), 100);
        }
        assertThat(writers()).isEmpty();
    }

    @Test
    void folder_isNoFile() {
        assertThatThrownBy(() -> Timeline.to(folder))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining("because it is a folder");
        Path under = file().resolveSibling("x");
        assertThat(Timeline.to(under).file()).isEqualTo(under);
    }

    @Test
    void path_belowAFile_isNone() throws Exception {
        Path plain = Files.writeString(folder.resolve("plain"), "");
        assertThatThrownBy(() -> Timeline.to(plain.resolve("trace.json")))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining("takes no file");
    }

    @Test
    void part_isNamedByItsRank() {
        assertThat(Timeline.partOf(Path.of("out/trace.json"), 3)).isEqualTo(Path.of("out/trace.3.json"));
        assertThat(Timeline.partOf(Path.of("trace"), 12)).isEqualTo(Path.of("trace.12"));
        assertThat(Timeline.partOf(Path.of(".trace"), 0)).isEqualTo(Path.of(".trace.0"));
    }

    @Test
    void phases_thatNobodyKnows_areNotThere() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            StubCall call = new StubCall(0, "#0", BEGUN) {
                @Override
                public CallPhases phases() {
                    return CallPhases.UNKNOWN;
                }
            };
            run(timeline, call, 100);
        }
        assertThat(trace().phases(trace().call(0, "all-reduce"))).isEmpty();
        assertThat(trace().end(0, "all-reduce").toString()).isEqualTo("{\"payloadBytes\":2048}");
    }
}
