package io.reactivecomm.rcomm.hosts;

import java.util.List;

/** The network of all hosts of a run; it is gone when it is closed. */
sealed interface HostNetwork extends AutoCloseable permits BridgedNetwork, RelayedNetwork {

    /**
     * {@return a network as the options ask for}
     *
     * @throws HostsException if this machine cannot make it; nothing is left then
     */
    static HostNetwork make(HostsOptions options) {
        return options.latency().isZero() ? BridgedNetwork.make(options) : RelayedNetwork.make(options);
    }

    /** {@return the namespaces of the hosts, in order} */
    List<NetworkNamespace> hosts();

    /** Counts from here on what the report is about. */
    void begin();

    /** {@return what there is to say of the network itself, a line each} */
    List<String> report();

    @Override
    void close();
}
