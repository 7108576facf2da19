package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.HostsContract;
import java.util.List;

/** Ranks of one machine that say they are on several: over sockets there is no difference but in what schedules go by. */
class TcpHostsContractTest extends HostsContract implements TcpWorlds {

    @Override
    protected World open(List<Integer> hosts) {
        return TcpWorlds.open(hosts.size(), config -> config.withHostId("host " + hosts.get(config.rank())));
    }
}
