package io.reactivecomm.mpi;

import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.GroupContract;
import io.reactivecomm.testkit.group.ScopeMessageContract;
import io.reactivecomm.testkit.stream.MessageContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A selection of the contracts where one call of MPI takes 1,000 elements at most, as it takes 2³¹ elsewhere. */
@Tag("repeated")
class CutContractsTest {

    @Nested
    class Results extends CollectiveContract implements MpiWorlds.Cut {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.fewer();
        }
    }

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements MpiWorlds.Cut {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.fewer();
        }
    }

    @Nested
    @Tag("thorough")
    class Scopes extends CoalesceContract implements MpiWorlds.Cut {}

    @Nested
    @Tag("thorough")
    class Groups extends GroupContract implements MpiWorlds.Cut {}

    @Nested
    @Tag("thorough")
    class Messages extends MessageContract implements MpiWorlds.Cut {}

    @Nested
    @Tag("thorough")
    class MessagesInScopes extends ScopeMessageContract implements MpiWorlds.Cut {}
}
