package io.reactivecomm.netty.contract;

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
