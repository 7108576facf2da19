package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.BadObjectContract;
import io.reactivecomm.testkit.HookContract;
import io.reactivecomm.testkit.ObjectContract;
import io.reactivecomm.testkit.SparseContract;
import org.junit.jupiter.api.Nested;

/** The contracts of what is made of several collectives, over TCP on loopback. */
class TcpCompositeContractTest {

    @Nested
    class Objects extends ObjectContract implements TcpWorlds {}

    @Nested
    class BadObjects extends BadObjectContract implements TcpWorlds {}

    @Nested
    class SparseTensors extends SparseContract implements TcpWorlds {}

    @Nested
    class Hooks extends HookContract implements TcpWorlds {}
}
