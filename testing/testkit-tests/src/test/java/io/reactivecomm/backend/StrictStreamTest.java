package io.reactivecomm.backend;

import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;
import io.reactivecomm.testkit.stream.StreamContract;
import io.reactivecomm.testkit.stream.StreamDemandContract;
import io.reactivecomm.testkit.stream.StreamFaultContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Streams over an engine that refuses any disorder. */
class StrictStreamTest {

    /** Worlds of the strict double. */
    interface StrictStreams extends Worlds {

        @Override
        default WorldContract.World open(int size) {
            return StrictWorlds.open(size);
        }
    }

    @Nested
    @Tag("repeated")
    class Streams extends StreamContract implements StrictStreams {}

    @Nested
    @Tag("thorough")
    class Demand extends StreamDemandContract implements StrictStreams {}

    @Nested
    @Tag("thorough")
    class Faults extends StreamFaultContract implements StrictStreams {}
}
