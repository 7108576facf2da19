package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.BarrierContract;
import io.reactivecomm.testkit.CarriedObserverContract;
import io.reactivecomm.testkit.ClosedGroupContract;
import io.reactivecomm.testkit.GroupContract;
import io.reactivecomm.testkit.GroupEndContract;
import io.reactivecomm.testkit.GroupLifeContract;
import io.reactivecomm.testkit.MeshContract;
import io.reactivecomm.testkit.ObserverContract;
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
