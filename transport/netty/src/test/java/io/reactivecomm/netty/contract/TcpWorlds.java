package io.reactivecomm.netty.contract;

import io.reactivecomm.CommConfig;
import io.reactivecomm.testkit.ConnectedWorlds;
import io.reactivecomm.testkit.WorldContract;
import java.util.function.UnaryOperator;

/** Worlds whose ranks know each other only through TCP, as the contracts want them. */
interface TcpWorlds extends ConnectedWorlds {

    String TRANSPORT = "tcp";

    @Override
    default String transport() {
        return TRANSPORT;
    }

    /** {@return a world of ranks that are set up otherwise than by default} */
    static WorldContract.World open(int size, UnaryOperator<CommConfig> setUp) {
        return ConnectedWorlds.open(TRANSPORT, size, setUp);
    }
}
