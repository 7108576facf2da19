package io.reactivecomm.mpi;

import io.reactivecomm.testkit.CoalesceContract;
import io.reactivecomm.testkit.CollectiveContract;
import io.reactivecomm.testkit.GroupContract;
import io.reactivecomm.testkit.MessageContract;
import io.reactivecomm.testkit.RowContract;
import io.reactivecomm.testkit.ScopeMessageContract;
import io.reactivecomm.testkit.ShapeMatrix;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A selection of the contracts over a double with MPI 5's standard binary interface. */
@Tag("repeated")
class StandardContractsTest {

    @Nested
    @Tag("thorough")
    class Results extends CollectiveContract implements MpiWorlds.Standard {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.fewer();
        }
    }

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements MpiWorlds.Standard {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.fewer();
        }
    }

    @Nested
    @Tag("thorough")
    class Scopes extends CoalesceContract implements MpiWorlds.Standard {}

    @Nested
    @Tag("thorough")
    class Groups extends GroupContract implements MpiWorlds.Standard {}

    @Nested
    @Tag("thorough")
    class Messages extends MessageContract implements MpiWorlds.Standard {}

    @Nested
    @Tag("thorough")
    class MessagesInScopes extends ScopeMessageContract implements MpiWorlds.Standard {}
}
