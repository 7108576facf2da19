package io.reactivecomm.testkit.device;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One rank's end of a {@link FakeMeeting}: every collective of what is in the memory of fake devices, and no message.
 *
 * @param rank in the world
 */
record FakeEngine(FakeMeeting meeting, int rank) implements OrderedEngine {

    @Override
    public DeviceMemory memory() {
        return FakeMemory.JVM;
    }

    @Override
    public boolean enqueues() {
        return true;
    }

    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        return FakeKernels.refusal(kind);
    }

    @Override
    public void requireUsable(EngineGroup group, Collective call) {
        call.tensors().forEach(FakeHeap.JVM::requireKnown);
    }

    @Override
    public void run(List<Turn> batch) {
        Turn.calls(batch).forEach(turn -> meeting.take(rank, turn));
    }

    @Override
    public void abandonGroup(EngineGroup group, Failure cause) {
        meeting.stop(rank, turn -> turn.group().id() == group.id(), cause);
    }

    @Override
    public void closeGroup(EngineGroup group) {
        abandonGroup(group, closed());
    }

    @Override
    public void close() {
        meeting.stop(rank, turn -> true, closed());
        meeting.leave(rank);
    }

    private Failure closed() {
        return new Failure(Failure.Kind.CLOSED, rank, "the engine of fake devices was closed: rank=" + rank);
    }
}
