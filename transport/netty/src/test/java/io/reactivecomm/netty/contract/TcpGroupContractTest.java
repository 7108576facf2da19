package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.collective.BarrierContract;
import io.reactivecomm.testkit.group.CarriedObserverContract;
import io.reactivecomm.testkit.group.ClosedGroupContract;
import io.reactivecomm.testkit.group.GroupContract;
import io.reactivecomm.testkit.group.GroupEndContract;
import io.reactivecomm.testkit.group.GroupLifeContract;
import io.reactivecomm.testkit.group.MeshContract;
import io.reactivecomm.testkit.group.ObserverContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of groups, of their ends, and of who meets whom, over TCP on loopback. */
@Tag("repeated")
class TcpGroupContractTest {

    @Nested
    class Groups extends GroupContract implements TcpWorlds {}

    @Nested
    class GroupLives extends GroupLifeContract implements TcpWorlds {}

    @Nested
    class ClosedGroups extends ClosedGroupContract implements TcpWorlds {}

    @Nested
    class GroupEnds extends GroupEndContract implements TcpWorlds {}

    @Nested
    class Barriers extends BarrierContract implements TcpWorlds {}

    @Nested
    class Observers extends ObserverContract implements TcpWorlds {}

    @Nested
    class CarriedObservers extends CarriedObserverContract implements TcpWorlds {}

    @Nested
    class Meshes extends MeshContract implements TcpWorlds {}
}
