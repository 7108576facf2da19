package io.reactivecomm.shm;

import io.reactivecomm.testkit.BatchContract;
import io.reactivecomm.testkit.CoalesceContract;
import io.reactivecomm.testkit.PartsContract;
import io.reactivecomm.testkit.ReducedPartsContract;
import io.reactivecomm.testkit.ScopeMessageContract;
import io.reactivecomm.testkit.StreamContract;
import io.reactivecomm.testkit.StreamDemandContract;
import io.reactivecomm.testkit.StreamFaultContract;
import org.junit.jupiter.api.Nested;

/** The contracts of streams, parts and batches, through shared memory. */
class ShmStreamContractTest {

    @Nested
    class Streams extends StreamContract implements ShmWorlds {}

    @Nested
    class StreamDemand extends StreamDemandContract implements ShmWorlds {}

    @Nested
    class StreamFaults extends StreamFaultContract implements ShmWorlds {}

    @Nested
    class Parts extends PartsContract implements ShmWorlds {}

    @Nested
    class ReducedParts extends ReducedPartsContract implements ShmWorlds {}

    @Nested
    class Coalesced extends CoalesceContract implements ShmWorlds {}

    @Nested
    class ScopeMessages extends ScopeMessageContract implements ShmWorlds {}

    @Nested
    class Batches extends BatchContract implements ShmWorlds {}
}
