package io.reactivecomm.mpi;

import io.reactivecomm.testkit.collective.BadCallContract;
import io.reactivecomm.testkit.collective.BadTensorContract;
import io.reactivecomm.testkit.collective.BarrierContract;
import io.reactivecomm.testkit.collective.CallbackContract;
import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.DisagreementContract;
import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.collective.ReductionContract;
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
import io.reactivecomm.testkit.group.MeshContract;
import io.reactivecomm.testkit.group.ObjectContract;
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
