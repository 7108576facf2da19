package io.reactivecomm.backend;

import io.reactivecomm.testkit.collective.EnqueuedContract;
import io.reactivecomm.testkit.device.FakeThread;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

/** Calls that complete when they are enqueued, over all doubles that have a queue. */
class EnqueuedContractsTest {

    @AfterAll
    static void noDoubleIsLeft() {
        DoubleWorlds.requireLeft();
    }

    /** The queue of each is the fake device's. */
    abstract static class OnFakeDevices extends EnqueuedContract {

        @Override
        protected Pause pause() {
            return FakeThread.pause()::close;
        }
    }

    @Nested
    class Fake extends OnFakeDevices implements DoubleWorlds.Fake {}

    @Nested
    class Checked extends OnFakeDevices implements DoubleWorlds.Checked {}

    @Nested
    class Late extends OnFakeDevices implements DoubleWorlds.Late {}

    /** The host's tensors, and those of two devices. */
    @Nested
    class LateAndLate extends OnFakeDevices implements DoubleWorlds.LateAndLate {}
}
