package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.BatchContract;
import io.reactivecomm.testkit.CoalesceContract;
import io.reactivecomm.testkit.PartsContract;
import io.reactivecomm.testkit.ReducedPartsContract;
import io.reactivecomm.testkit.ScopeMessageContract;
import io.reactivecomm.testkit.StreamContract;
import io.reactivecomm.testkit.StreamDemandContract;
import io.reactivecomm.testkit.StreamFaultContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of streams, parts and batches, over TCP on loopback. */
@Tag("repeated")
class TcpStreamContractTest {

    @Nested
    class Streams extends StreamContract implements TcpWorlds {}

    @Nested
    class StreamDemand extends StreamDemandContract implements TcpWorlds {}

    @Nested
    class StreamFaults extends StreamFaultContract implements TcpWorlds {}

    @Nested
    class Parts extends PartsContract implements TcpWorlds {}

    @Nested
    @Tag("thorough")
    class ReducedParts extends ReducedPartsContract implements TcpWorlds {}

    @Nested
    @Tag("thorough")
    class Coalesced extends CoalesceContract implements TcpWorlds {}

    @Nested
    @Tag("thorough")
    class ScopeMessages extends ScopeMessageContract implements TcpWorlds {}

    @Nested
    @Tag("thorough")
    class Batches extends BatchContract implements TcpWorlds {}
}
