package io.reactivecomm.launch.internal;

/**
 * The port of a job's store, derived from the job's id. It is the same for all ranks of a job, and another for two jobs on one host in all
 * but one of {@value #PORTS} cases. Where it is taken, rank 0's error says so, and MASTER_PORT settles it.
 */
final class DerivedPort {

    /** Below 32768, where Linux starts to give ports to outgoing connections, and clear of 29500, torch.distributed's. */
    static final int FIRST = 20_000;

    /** A power of two, so that the hash's upper bits choose without a bias. */
    static final int PORTS = 8192;

    private static final int PORT_BITS = Integer.numberOfTrailingZeros(PORTS);

    private DerivedPort() {}

    /** FNV-1a, then the upper bits of a multiplicative hash: job ids of one host differ in few bits, which both spread. */
    static int of(String job) {
        int hash = 0x811C9DC5;
        for (int i = 0; i < job.length(); i++) {
            hash = (hash ^ job.charAt(i)) * 0x01000193;
        }
        return FIRST + ((hash * 0x9E3779B9) >>> (Integer.SIZE - PORT_BITS));
    }
}
