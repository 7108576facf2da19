package io.reactivecomm.nccl;

import io.reactivecomm.testkit.BatchContract;
import io.reactivecomm.testkit.CompositeMessageContract;
import io.reactivecomm.testkit.MessageContract;
import io.reactivecomm.testkit.ScopeMessageContract;
import io.reactivecomm.testkit.StepContract;
import io.reactivecomm.testkit.StepMessageContract;
import io.reactivecomm.testkit.StreamContract;
import io.reactivecomm.testkit.StreamDemandContract;
import io.reactivecomm.testkit.StreamFaultContract;
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
