package io.reactivecomm.observability.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import io.reactivecomm.recorder.FlightDump;
import io.reactivecomm.recorder.LiveCall;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** Receives that wait for nobody in particular, or for as long as they like, in the dumps of two ranks. */
class IdleReceivesTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private final LocalWorld world = ReactiveComm.local(2);
    private final ProcessGroup first = world.groups().get(0);
    private final Tensor tensor = Tensor.of(new float[3]);

    @AfterEach
    void close() {
        world.close();
        tensor.close();
    }

    /** {@return the dumps once all has begun that was subscribed to before} */
    private List<FlightDump> dumps() throws IOException {
        Flux.fromIterable(world.groups()).flatMap(ProcessGroup::barrier).blockLast(LIMIT);
        List<FlightDump> dumps = new ArrayList<>();
        for (ProcessGroup group : world.groups()) {
            Path file = folder.resolve("rank-" + group.rank() + ".json");
            group.dump(file).block(LIMIT);
            dumps.add(FlightDump.read(file));
        }
        return dumps;
    }

    private static LiveCall onlyCall(FlightDump dump) {
        assertThat(dump.state().live()).hasSize(1);
        return dump.state().live().getFirst();
    }

    @Test
    void receiveFromAny_mayBeIdle() throws IOException {
        first.receive(tensor, ProcessGroup.ANY, 0).subscribe(work -> {}, error -> {});
        List<FlightDump> dumps = dumps();
        assertThat(onlyCall(dumps.getFirst()).mayBeIdle()).isTrue();
        assertThat(Doctor.diagnose(dumps).findings()).isEmpty();
    }

    /** The sender waits for demand, and the receiver for the end. */
    @Test
    void stream_thatNobodyTakesFrom_blamesNobody() throws IOException {
        first.sendAll(Flux.never(), 1, 0).subscribe(new Unwilling());
        world.groups().get(1).receiveAll(0, 0).subscribe(new Unwilling());
        List<FlightDump> dumps = dumps();
        assertThat(dumps)
                .allSatisfy(dump -> assertThat(dump.state().live()).isNotEmpty().allMatch(LiveCall::mayBeIdle));
        assertThat(Doctor.diagnose(dumps).findings()).isEmpty();
    }

    /** A subscriber that asks for nothing. */
    private static final class Unwilling extends BaseSubscriber<Tensor> {

        @Override
        protected void hookOnSubscribe(Subscription subscription) {}

        @Override
        protected void hookOnError(Throwable error) {}
    }

    /** The call that really hangs is told, though another waits for longer. */
    @Test
    void receiveFromAny_isNotTakenForTheCallThatHangs() throws IOException {
        first.receive(tensor, ProcessGroup.ANY, 0).subscribe(work -> {}, error -> {});
        dumps();
        first.named("loss").barrier().subscribe(work -> {}, error -> {});
        world.groups()
                .get(1)
                .named("other")
                .receive(tensor, ProcessGroup.ANY, 0)
                .subscribe(work -> {}, error -> {});
        assertThat(Doctor.diagnose(dumps()).findings()).singleElement().satisfies(finding -> {
            assertThat(finding.culprits()).containsExactly(1);
            assertThat(finding.call()).isEqualTo("loss#0");
        });
    }

    @Test
    void receiveFromOneRank_isNotIdle() throws IOException {
        first.receive(tensor, 1, 0).subscribe(work -> {}, error -> {});
        List<FlightDump> dumps = dumps();
        assertThat(onlyCall(dumps.getFirst()).mayBeIdle()).isFalse();
        assertThat(Doctor.diagnose(dumps).findings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.culprits()).containsExactly(1));
    }
}
