package io.reactivecomm.rcomm.hosts;

/** The reason for which this machine has no namespaces for tests, if so. */
final class Refusal {

    private Refusal() {}

    /** {@return the reason; empty if there is none} */
    static String ofThisMachine() {
        try {
            Prerequisites.ofThisProcess().require();
            NetworkNamespace.make().close();
            return "";
        } catch (HostsException e) {
            return "no network namespaces here: " + e.getMessage();
        }
    }
}
