package io.reactivecomm.nccl;

import io.reactivecomm.testkit.BadCallContract;
import io.reactivecomm.testkit.BadTensorContract;
import io.reactivecomm.testkit.CallbackContract;
import io.reactivecomm.testkit.ClosedGroupContract;
import io.reactivecomm.testkit.CoalesceContract;
import io.reactivecomm.testkit.CollectiveContract;
import io.reactivecomm.testkit.CompositeContract;
import io.reactivecomm.testkit.DisagreementContract;
import io.reactivecomm.testkit.FaultContract;
import io.reactivecomm.testkit.GroupContract;
import io.reactivecomm.testkit.GroupEndContract;
import io.reactivecomm.testkit.GroupLifeContract;
import io.reactivecomm.testkit.RowContract;
import io.reactivecomm.testkit.ShapeMatrix;
import io.reactivecomm.testkit.SparseContract;
import io.reactivecomm.testkit.SubscriptionContract;
import io.reactivecomm.testkit.SupportsContract;
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
