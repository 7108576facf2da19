package io.reactivecomm.shm;

import io.reactivecomm.testkit.collective.BarrierContract;
import io.reactivecomm.testkit.group.ClosedGroupContract;
import io.reactivecomm.testkit.group.GroupContract;
import io.reactivecomm.testkit.group.GroupEndContract;
import io.reactivecomm.testkit.group.GroupLifeContract;
import io.reactivecomm.testkit.group.MeshContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of groups, of their ends, and of who meets whom, through shared memory. */
@Tag("repeated")
class ShmGroupContractTest {

    @Nested
    class Groups extends GroupContract implements ShmWorlds {}

    @Nested
    class GroupLives extends GroupLifeContract implements ShmWorlds {}

    @Nested
    class ClosedGroups extends ClosedGroupContract implements ShmWorlds {}

    @Nested
    class GroupEnds extends GroupEndContract implements ShmWorlds {}

    @Nested
    class Barriers extends BarrierContract implements ShmWorlds {}

    @Nested
    class Meshes extends MeshContract implements ShmWorlds {}
}
