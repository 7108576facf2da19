package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.collective.CallbackContract;
import io.reactivecomm.testkit.collective.DemandContract;
import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.collective.FlowContract;
import io.reactivecomm.testkit.collective.LinksCollectiveContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.group.FatalErrorContract;
import io.reactivecomm.testkit.group.LostMemoryContract;
import io.reactivecomm.testkit.stream.MessageContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of calls and of faults over TLS: a smoke part in each build, all of them in a thorough one. */
class TlsContractTest {

    @Nested
    class LostMemory extends LostMemoryContract implements TlsWorlds {}

    @Nested
    @Tag("thorough")
    class Collectives extends LinksCollectiveContract implements TlsWorlds {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.repeated();
        }
    }

    @Nested
    @Tag("thorough")
    class Callbacks extends CallbackContract implements TlsWorlds {}

    @Nested
    @Tag("thorough")
    class Demand extends DemandContract implements TlsWorlds {}

    @Nested
    @Tag("thorough")
    class FatalErrors extends FatalErrorContract implements TlsWorlds {}

    @Nested
    @Tag("thorough")
    class Faults extends FaultContract implements TlsWorlds {}

    @Nested
    @Tag("thorough")
    class Flow extends FlowContract implements TlsWorlds {}

    @Nested
    @Tag("thorough")
    class Messages extends MessageContract implements TlsWorlds {}
}
