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

/** A selection of the contracts over a double of MPICH: its handles are numbers of 32 bits. */
@Tag("repeated")
class MpichContractsTest {

    @Nested
    class Results extends CollectiveContract implements MpiWorlds.Mpich {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.fewer();
        }
    }

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements MpiWorlds.Mpich {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.fewer();
        }
    }

    @Nested
    @Tag("thorough")
    class Scopes extends CoalesceContract implements MpiWorlds.Mpich {}

    @Nested
    @Tag("thorough")
    class Groups extends GroupContract implements MpiWorlds.Mpich {}

    @Nested
    @Tag("thorough")
    class Messages extends MessageContract implements MpiWorlds.Mpich {}

    @Nested
    @Tag("thorough")
    class MessagesInScopes extends ScopeMessageContract implements MpiWorlds.Mpich {}
}
