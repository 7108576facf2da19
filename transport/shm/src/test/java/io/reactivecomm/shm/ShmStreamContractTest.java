package io.reactivecomm.shm;

import io.reactivecomm.testkit.collective.PartsContract;
import io.reactivecomm.testkit.collective.ReducedPartsContract;
import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.ScopeMessageContract;
import io.reactivecomm.testkit.stream.BatchContract;
import io.reactivecomm.testkit.stream.StreamContract;
import io.reactivecomm.testkit.stream.StreamDemandContract;
import io.reactivecomm.testkit.stream.StreamFaultContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of streams, parts and batches, through shared memory; those that have least to do with links with {@code -Pthorough}. */
@Tag("repeated")
class ShmStreamContractTest {

    @Nested
    class Streams extends StreamContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class StreamDemand extends StreamDemandContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class StreamFaults extends StreamFaultContract implements ShmWorlds {}

    @Nested
    class Parts extends PartsContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class ReducedParts extends ReducedPartsContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class Coalesced extends CoalesceContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class ScopeMessages extends ScopeMessageContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class Batches extends BatchContract implements ShmWorlds {}
}
