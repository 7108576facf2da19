package io.reactivecomm.mpi;

import io.reactivecomm.testkit.BatchContract;
import io.reactivecomm.testkit.CompositeMessageContract;
import io.reactivecomm.testkit.MessageContract;
import io.reactivecomm.testkit.PartsContract;
import io.reactivecomm.testkit.ReducedPartsContract;
import io.reactivecomm.testkit.ScopeMessageContract;
import io.reactivecomm.testkit.StepContract;
import io.reactivecomm.testkit.StepMessageContract;
import io.reactivecomm.testkit.StreamContract;
import io.reactivecomm.testkit.StreamDemandContract;
import io.reactivecomm.testkit.StreamFaultContract;
import io.reactivecomm.testkit.StreamObserverContract;
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
