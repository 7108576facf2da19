package io.reactivecomm.samples.programs.device;

import java.util.Map;

/**
 * The variables that let processes share a GPU, which NCCL refuses otherwise: from 2.30.3 on one of its own; before that, names of two hosts, which
 * some versions see through.
 */
public final class SharedGpu {

    /** The variable of NCCL by which ranks share a GPU. */
    public static final String VARIABLE = "NCCL_MULTI_RANK_GPU_ENABLE";

    /** 2.30.3. */
    private static final int SHARES_A_GPU = 23_003;

    private SharedGpu() {}

    /** {@return whether a version of NCCL promises that it works} */
    public static boolean isPromised(int version) {
        return version >= SHARES_A_GPU;
    }

    /** {@return the variables of the process of a rank, which are there before the library is loaded} @param version by the library's own number */
    public static Map<String, String> variables(int version, int rank) {
        return isPromised(version)
                ? Map.of(VARIABLE, "1")
                : Map.of("NCCL_HOSTID", "rank-" + rank, "NCCL_SOCKET_IFNAME", "lo");
    }
}
