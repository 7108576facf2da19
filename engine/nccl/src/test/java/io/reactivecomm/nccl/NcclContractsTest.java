package io.reactivecomm.nccl;

import io.reactivecomm.testkit.collective.BadCallContract;
import io.reactivecomm.testkit.collective.BadTensorContract;
import io.reactivecomm.testkit.collective.CallbackContract;
import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.DisagreementContract;
import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.collective.SparseContract;
import io.reactivecomm.testkit.collective.SubscriptionContract;
import io.reactivecomm.testkit.collective.SupportsContract;
import io.reactivecomm.testkit.group.ClosedGroupContract;
import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.CompositeContract;
import io.reactivecomm.testkit.group.GroupContract;
import io.reactivecomm.testkit.group.GroupEndContract;
import io.reactivecomm.testkit.group.GroupLifeContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of engines over the doubles of NCCL and CUDA: collectives, scopes, composites and groups. */
@Tag("repeated")
class NcclContractsTest {

    @Nested
    class Results extends CollectiveContract implements NcclWorlds {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements NcclWorlds {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Scopes extends CoalesceContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Disagreements extends DisagreementContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Composites extends CompositeContract implements NcclWorlds {}

    @Nested
    class Faults extends FaultContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Subscriptions extends SubscriptionContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Groups extends GroupContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class LivesOfGroups extends GroupLifeContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class EndsOfGroups extends GroupEndContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class ClosedGroups extends ClosedGroupContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class BadCalls extends BadCallContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Callbacks extends CallbackContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Sparse extends SparseContract implements NcclWorlds {}

    @Nested
    class Kinds extends SupportsContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class KindsOfAnOldLibrary extends SupportsContract implements NcclWorlds.Old {}

    @Nested
    @Tag("thorough")
    class KindsOfOneCcl extends SupportsContract implements NcclWorlds.OneCcl {}

    @Nested
    class BadTensors extends BadTensorContract implements NcclWorlds {}
}
