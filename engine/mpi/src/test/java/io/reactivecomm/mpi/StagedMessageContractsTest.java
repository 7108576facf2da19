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

/** The contracts of messages, streams and steps over the doubles of MPI and CUDA, with tensors on a device: staged in the host's memory. */
@Tag("repeated")
class StagedMessageContractsTest {

    @Nested
    class Messages extends MessageContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class MessagesInScopes extends ScopeMessageContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class MessagesInComposites extends CompositeMessageContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class Batches extends BatchContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class Steps extends StepContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class MessagesInSteps extends StepMessageContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class Streams extends StreamContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class DemandOfStreams extends StreamDemandContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class FaultsOfStreams extends StreamFaultContract implements CudaWorlds.Staged {}
}
