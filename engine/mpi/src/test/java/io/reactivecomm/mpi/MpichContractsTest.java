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
