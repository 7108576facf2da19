package io.reactivecomm.nccl;

import io.reactivecomm.testkit.group.CompositeMessageContract;
import io.reactivecomm.testkit.group.ScopeMessageContract;
import io.reactivecomm.testkit.group.StepContract;
import io.reactivecomm.testkit.group.StepMessageContract;
import io.reactivecomm.testkit.stream.BatchContract;
import io.reactivecomm.testkit.stream.MessageContract;
import io.reactivecomm.testkit.stream.StreamContract;
import io.reactivecomm.testkit.stream.StreamDemandContract;
import io.reactivecomm.testkit.stream.StreamFaultContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of messages, streams and steps over the doubles of NCCL and CUDA. */
@Tag("repeated")
class NcclMessageContractsTest {

    @Nested
    class Messages extends MessageContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class MessagesInScopes extends ScopeMessageContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class MessagesInComposites extends CompositeMessageContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Batches extends BatchContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Steps extends StepContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class MessagesInSteps extends StepMessageContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Streams extends StreamContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class DemandOfStreams extends StreamDemandContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class FaultsOfStreams extends StreamFaultContract implements NcclWorlds {}
}
