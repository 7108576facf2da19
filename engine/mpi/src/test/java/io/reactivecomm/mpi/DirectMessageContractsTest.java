package io.reactivecomm.mpi;

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

/** The contracts of messages, streams and steps over the doubles of MPI and CUDA, with tensors on a device: by its addresses. */
@Tag("thorough")
class DirectMessageContractsTest {

    @Nested
    class Messages extends MessageContract implements CudaWorlds.Direct {}

    @Nested
    class MessagesInScopes extends ScopeMessageContract implements CudaWorlds.Direct {}

    @Nested
    class MessagesInComposites extends CompositeMessageContract implements CudaWorlds.Direct {}

    @Nested
    class Batches extends BatchContract implements CudaWorlds.Direct {}

    @Nested
    class Steps extends StepContract implements CudaWorlds.Direct {}

    @Nested
    class MessagesInSteps extends StepMessageContract implements CudaWorlds.Direct {}

    @Nested
    class Streams extends StreamContract implements CudaWorlds.Direct {}

    @Nested
    class DemandOfStreams extends StreamDemandContract implements CudaWorlds.Direct {}

    @Nested
    class FaultsOfStreams extends StreamFaultContract implements CudaWorlds.Direct {}
}
