package io.reactivecomm.mpi;

import io.reactivecomm.testkit.BadCallContract;
import io.reactivecomm.testkit.BadTensorContract;
import io.reactivecomm.testkit.BarrierContract;
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
import io.reactivecomm.testkit.MeshContract;
import io.reactivecomm.testkit.ObjectContract;
import io.reactivecomm.testkit.ReductionContract;
import io.reactivecomm.testkit.RowContract;
import io.reactivecomm.testkit.ShapeMatrix;
import io.reactivecomm.testkit.SparseContract;
import io.reactivecomm.testkit.SubscriptionContract;
import io.reactivecomm.testkit.SupportsContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of engines over a double of Open MPI: collectives, scopes, composites and groups. */
@Tag("repeated")
class OpenMpiContractsTest {

    @Nested
    class Results extends CollectiveContract implements MpiWorlds.OpenMpi {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements MpiWorlds.OpenMpi {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Scopes extends CoalesceContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Disagreements extends DisagreementContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Composites extends CompositeContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Faults extends FaultContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Subscriptions extends SubscriptionContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Groups extends GroupContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class LivesOfGroups extends GroupLifeContract implements MpiWorlds.OpenMpi {}

    @Nested
    class EndsOfGroups extends GroupEndContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class ClosedGroups extends ClosedGroupContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class BadCalls extends BadCallContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Callbacks extends CallbackContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Barriers extends BarrierContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Objects extends ObjectContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Sparse extends SparseContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Reductions extends ReductionContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Meshes extends MeshContract implements MpiWorlds.OpenMpi {}

    @Nested
    class Kinds extends SupportsContract implements MpiWorlds.OpenMpi {}

    @Nested
    class BadTensors extends BadTensorContract implements MpiWorlds.OpenMpi {}
}
