package io.reactivecomm.mpi;

import io.reactivecomm.testkit.collective.PartsContract;
import io.reactivecomm.testkit.collective.ReducedPartsContract;
import io.reactivecomm.testkit.group.CompositeMessageContract;
import io.reactivecomm.testkit.group.ScopeMessageContract;
import io.reactivecomm.testkit.group.StepContract;
import io.reactivecomm.testkit.group.StepMessageContract;
import io.reactivecomm.testkit.stream.BatchContract;
import io.reactivecomm.testkit.stream.MessageContract;
import io.reactivecomm.testkit.stream.StreamContract;
import io.reactivecomm.testkit.stream.StreamDemandContract;
import io.reactivecomm.testkit.stream.StreamFaultContract;
import io.reactivecomm.testkit.stream.StreamObserverContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of messages, streams, steps and parts over a double of Open MPI. */
@Tag("repeated")
class OpenMpiMessageContractsTest {

    @Nested
    @Tag("thorough")
    class Messages extends MessageContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class MessagesInScopes extends ScopeMessageContract implements MpiWorlds.OpenMpi {}

    @Nested
    class MessagesInComposites extends CompositeMessageContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Batches extends BatchContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Steps extends StepContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class MessagesInSteps extends StepMessageContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Streams extends StreamContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class DemandOfStreams extends StreamDemandContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class FaultsOfStreams extends StreamFaultContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class ObserversOfStreams extends StreamObserverContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Parts extends PartsContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class ReducedParts extends ReducedPartsContract implements MpiWorlds.OpenMpi {}
}
