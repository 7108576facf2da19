package io.reactivecomm.internal.observe.jfr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.observe.CommEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Recordings of the JDK's flight recorder, of a world that began before them. */
class RecordingsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final String CALL = "io.reactivecomm.Call";
    private static final String PHASE = "io.reactivecomm.CallPhase";
    private static final String FAILED = "io.reactivecomm.CallFailed";
    private static final String LOST = "io.reactivecomm.PeerLost";
    private static final String STALL = "io.reactivecomm.Stall";
    private static final String GROUP_FAILED = "io.reactivecomm.GroupFailed";

    @TempDir
    private Path folder;

    private final LocalWorld world = ReactiveComm.local(2);

    @AfterEach
    void close() {
        world.close();
    }

    private <T> List<T> all(Function<ProcessGroup, Mono<T>> call) {
        return Objects.requireNonNull(Flux.fromIterable(world.groups())
                .flatMapSequential(call, 2)
                .collectList()
                .block(LIMIT));
    }

    private static Mono<Work> allReduce(ProcessGroup group) {
        Tensor tensor = Tensor.allocate(DType.FLOAT32, 1000);
        return group.named("layer1").allReduce(tensor, ReduceOp.SUM).doFinally(end -> tensor.close());
    }

    private static Recording recording(String... events) {
        Recording recording = new Recording();
        for (String event : events) {
            recording.enable(event);
        }
        recording.start();
        return recording;
    }

    private List<RecordedEvent> events(Recording recording, String name) throws IOException {
        Path file = folder.resolve("recording-" + recording.getId() + ".jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }

    private void failAlone() {
        Mono<?> alone = world.groups().getFirst().timeout(Duration.ofMillis(50)).barrier();
        assertThatThrownBy(() -> alone.block(LIMIT)).isInstanceOf(CommTimeoutException.class);
    }

    @Test
    void call_isAnEvent_withItsPhases() throws IOException {
        try (Recording recording = recording(CALL, PHASE)) {
            List<Work> works = all(RecordingsTest::allReduce);
            List<RecordedEvent> calls = events(recording, CALL);
            assertThat(calls).hasSize(2);
            for (RecordedEvent call : calls) {
                Work work = works.get(call.getInt("rank"));
                assertThat(call.getString("operation")).isEqualTo("all-reduce");
                assertThat(call.getString("call")).isEqualTo("layer1#0");
                assertThat(call.getString("backend")).isEqualTo("links");
                assertThat(call.getString("algorithm")).isEqualTo(work.algorithm());
                assertThat(call.getString("type")).isEqualTo("FLOAT32");
                assertThat(call.getString("reduction")).isEqualTo("SUM");
                assertThat(call.getString("error")).isEmpty();
                assertThat(call.getLong("bytes")).isEqualTo(4000);
                assertThat(call.getLong("elements")).isEqualTo(1000);
                assertThat(call.getLong("group")).isZero();
                assertThat(call.getInt("groupSize")).isEqualTo(2);
                assertThat(call.getLong("matching"))
                        .isEqualTo(work.phases().orElseThrow().matching().orElseThrow());
                assertThat(call.getDuration()).isPositive();
            }
            assertThat(events(recording, PHASE)).hasSize(8).allSatisfy(phase -> {
                RecordedEvent call = calls.stream()
                        .filter(each -> each.getLong("number") == phase.getLong("number"))
                        .findFirst()
                        .orElseThrow();
                assertThat(phase.getDuration("took")).isEqualTo(call.getDuration(phase.getString("phase")));
            });
        }
    }

    /** Nobody has said anything of them: a recording of the JDK's default settings has them. */
    @Test
    void jfrPrint_showsCallsPhasesAndStalls() throws Exception {
        Path file = folder.resolve("default.jfr");
        try (Recording recording = new Recording(Configuration.getConfiguration("default"))) {
            recording.start();
            all(RecordingsTest::allReduce);
            failAlone();
            recording.dump(file);
        }
        String printed = ToolRun.of(folder, "jfr", "print", "--events", "io.reactivecomm.*", file.toString());
        assertThat(printed)
                .contains(
                        CALL + " {",
                        PHASE + " {",
                        FAILED + " {",
                        "operation = \"all-reduce\"",
                        "phase = \"matching\"",
                        "bytes = 3.9 kB",
                        "peer = N/A");
        assertThat(printed)
                .contains("error = \"CommTimeoutException\"", "error = \"io.reactivecomm.CommTimeoutException\"");
    }

    @Test
    void lossesStallsAndFailedGroups_areEvents() throws IOException {
        Observers observers = Observers.ofWorld(List.of());
        try (Recording recording = recording(LOST, STALL, GROUP_FAILED)) {
            observers.tell(new CommEvent.PeerLost(0, 1, 3, "killed"));
            observers.tell(new CommEvent.LoopHeld(0, 1, 2, 2_000_000_000, "sleeps"));
            observers.tell(new CommEvent.LoopHeld(0, 1, 2, 0, ""));
            observers.tell(
                    new CommEvent.Waiting(0, 1, 7, "layer1#3", List.of(1, 2), List.of(3), "all-reduce is waiting"));
            observers.ofGroup().tell(new CommEvent.GroupFailed(0, 1, 7, "lost"));
            Observers.none().tell(new CommEvent.GroupFailed(0, 1, -1, "lost"));
            assertThat(events(recording, LOST)).singleElement().satisfies(lost -> {
                assertThat(lost.getInt("lost")).isEqualTo(3);
                assertThat(lost.getString("cause")).isEqualTo("killed");
            });
            assertThat(events(recording, STALL))
                    .extracting(event -> event.getString("kind"))
                    .containsExactly("loop held", "loop turns again", "call waits");
            RecordedEvent held = events(recording, STALL).getFirst();
            assertThat(held.getDuration("lasting")).hasSeconds(2);
            assertThat(held.getString("culprits")).isEqualTo("2");
            RecordedEvent waits = events(recording, STALL).getLast();
            assertThat(waits.getString("culprits")).isEqualTo("1, 2");
            assertThat(waits.getString("silent")).isEqualTo("3");
            assertThat(waits.getString("call")).isEqualTo("layer1#3");
            assertThat(waits.getLong("group")).isEqualTo(7);
            assertThat(events(recording, GROUP_FAILED))
                    .singleElement()
                    .satisfies(failed -> assertThat(failed.getLong("group")).isEqualTo(7));
        }
    }

    /** A call that waits says so in a stream that runs meanwhile. */
    @Test
    void stall_isStreamed_whileTheCallWaits() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        try (RecordingStream stream = new RecordingStream()) {
            stream.enable(STALL);
            stream.onEvent(STALL, event -> told.countDown());
            stream.setReuse(false);
            stream.startAsync();
            // On a slow machine the other rank answers after the first deadlines only.
            for (Duration deadline = Duration.ofMillis(400);
                    told.getCount() > 0 && deadline.compareTo(LIMIT) < 0;
                    deadline = deadline.multipliedBy(5)) {
                Mono<?> alone = world.groups().getFirst().timeout(deadline).barrier();
                assertThatThrownBy(() -> alone.block(LIMIT)).isInstanceOf(CommTimeoutException.class);
                told.await(10, TimeUnit.SECONDS);
            }
            assertThat(told.getCount()).as("stalls still to come").isZero();
        }
    }

    /** Off, nobody observes: a call has no account of its phases. Before a recording, after it, and while one runs that asks for something else. */
    @Test
    void off_nobodyObserves() {
        requireOff();
        try (Recording recording = recording("jdk.ThreadStart")) {
            for (String event : List.of(CALL, PHASE, FAILED, LOST, STALL, GROUP_FAILED)) {
                recording.disable(event);
            }
            requireOff();
            recording.enable(STALL);
            assertThat(Recordings.areOfEvents()).isTrue();
            requireOff();
            recording.enable(CALL);
            assertThat(Recordings.areOfCalls()).isTrue();
            assertThat(all(ProcessGroup::barrier))
                    .allSatisfy(work -> assertThat(work.phases()).isPresent());
        }
        requireOff();
    }

    private void requireOff() {
        assertThat(Recordings.areOfCalls()).isFalse();
        assertThat(all(ProcessGroup::barrier))
                .allSatisfy(work -> assertThat(work.phases()).isEmpty());
    }

    /** Phases are those of calls whose events are written: a threshold is one for both. */
    @Test
    void threshold_leavesOutCallsAndTheirPhases_butNoFailure() throws IOException {
        try (Recording recording = recording(PHASE, FAILED)) {
            recording.enable(CALL).withThreshold(Duration.ofHours(1));
            all(RecordingsTest::allReduce);
            failAlone();
            assertThat(events(recording, CALL)).isEmpty();
            assertThat(events(recording, PHASE)).isEmpty();
            assertThat(events(recording, FAILED)).singleElement().satisfies(failed -> {
                assertThat(failed.getString("operation")).isEqualTo("barrier");
                assertThat(failed.getString("message")).contains("missing");
                assertThat(failed.getDuration("took")).isGreaterThanOrEqualTo(Duration.ofMillis(50));
            });
        }
    }
}
