package io.reactivecomm.nccl;

import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.GroupContract;
import io.reactivecomm.testkit.stream.MessageContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A selection of the contracts over doubles of other libraries and versions: what they do not have is done by what they have. */
@Tag("repeated")
class OtherLibrariesTest {

    @Nested
    @Tag("thorough")
    class ScopesOfDebian extends CoalesceContract implements NcclWorlds.OfDebian {}

    @Nested
    @Tag("thorough")
    class ResultsOfOld extends CollectiveContract implements NcclWorlds.Old {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.fewer();
        }
    }

    @Nested
    @Tag("thorough")
    class GroupsOfOld extends GroupContract implements NcclWorlds.Old {}

    @Nested
    class ResultsOfOneCcl extends CollectiveContract implements NcclWorlds.OneCcl {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.fewer();
        }
    }

    @Nested
    @Tag("thorough")
    class ScopesOfOneCcl extends CoalesceContract implements NcclWorlds.OneCcl {}

    @Nested
    @Tag("thorough")
    class GroupsOfOneCcl extends GroupContract implements NcclWorlds.OneCcl {}

    @Nested
    @Tag("thorough")
    class MessagesOfOneCcl extends MessageContract implements NcclWorlds.OneCcl {}
}
