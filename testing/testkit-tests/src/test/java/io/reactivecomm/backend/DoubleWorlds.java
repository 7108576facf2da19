package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;
import io.reactivecomm.testkit.device.FakeHome;
import io.reactivecomm.testkit.device.FakeProvider;

/** Local worlds with doubles of ordered engines, alone and mixed, as the contracts want them. */
interface DoubleWorlds extends Worlds {

    /** {@return the choice of engines} */
    String backend();

    @Override
    default WorldContract.World open(int size) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return WorldContract.World.of(ReactiveComm.local(size, settings.withBackend(backend())));
    }

    @Override
    default boolean areOverLinks() {
        return false;
    }

    /** After the last case: each world that was opened has been closed. */
    static void requireLeft() {
        assertThat(StrictMeeting.open())
                .as("worlds that the strict double has not left")
                .isEmpty();
        assertThat(FakeProvider.open())
                .as("worlds that fake devices have not left")
                .isEmpty();
    }

    /** Sums of two types, all-gathers and broadcasts by the strict double, the rest by links. */
    interface Strict extends DoubleWorlds {

        @Override
        default String backend() {
            return "cpu:strict";
        }
    }

    /** As {@link Strict}, by a library that has to be asked for the ends of calls. */
    interface Polled extends DoubleWorlds {

        @Override
        default String backend() {
            return "cpu:polled";
        }
    }

    /** Everything by one engine behind a sequencer. */
    interface Sequenced extends DoubleWorlds {}

    /** Everything by an ordered engine that cannot take back its hands. */
    interface Late extends Sequenced {

        @Override
        default String backend() {
            return "cpu:late";
        }
    }

    /** As {@link Strict}, with hands that cannot be taken back. */
    interface LateMessages extends DoubleWorlds {

        @Override
        default String backend() {
            return "cpu:late-messages";
        }
    }

    /** The host's tensors by links, those of one device by the device alone, in whatever order. */
    interface Fake extends Sequenced {

        @Override
        default String backend() {
            return "cpu:links,fake:fake";
        }

        @Override
        default TensorHome home() {
            return FakeHome.ONE;
        }
    }

    /** As {@link Fake}, under the eyes of the strict double. */
    interface Checked extends Fake {

        @Override
        default String backend() {
            return "cpu:links,fake:checked";
        }
    }

    /** The tensors of one call after another in turn in the host's memory, for the strict double, and on two devices. */
    interface StrictAndFake extends Sequenced {

        @Override
        default String backend() {
            return "cpu:strict,fake:fake";
        }

        @Override
        default TensorHome home() {
            return FakeHome.MIXED;
        }
    }

    /** As {@link StrictAndFake}, with hands that cannot be taken back, on the host and on devices. */
    interface LateAndLate extends StrictAndFake {

        @Override
        default String backend() {
            return "cpu:late,fake:late";
        }
    }
}
