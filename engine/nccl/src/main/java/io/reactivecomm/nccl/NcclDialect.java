package io.reactivecomm.nccl;

import static io.reactivecomm.nccl.NcclResult.INTERNAL_ERROR;
import static io.reactivecomm.nccl.NcclResult.INVALID_ARGUMENT;
import static io.reactivecomm.nccl.NcclResult.INVALID_USAGE;
import static io.reactivecomm.nccl.NcclResult.IN_PROGRESS;
import static io.reactivecomm.nccl.NcclResult.REMOTE_ERROR;
import static io.reactivecomm.nccl.NcclResult.SUCCESS;
import static io.reactivecomm.nccl.NcclResult.SYSTEM_ERROR;
import static io.reactivecomm.nccl.NcclResult.TIMEOUT;
import static io.reactivecomm.nccl.NcclResult.UNHANDLED_CUDA_ERROR;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The binary interface of a library that speaks as NCCL does.
 *
 * @param label what people call it
 * @param libraries its shared library, by the names under which it is looked for
 * @param prefix what the names of its functions begin with
 * @param idBytes the width of a unique id, which is passed by value
 * @param countsRanksInLong whether the size of a communicator is a size_t, not an int
 * @param configBytes the width of the configuration of a communicator
 * @param configVersion the version that has a configuration of that width
 * @param results what its results mean, by its numbers
 * @param spellings of functions that it calls otherwise than NCCL, the newer first
 * @param missing functions that it declares and that only fail
 * @param averages whether it takes AVG
 * @param blocksInCalls whether a collective, or the end of a group, returns when all is done: it needs a thread of its own
 */
record NcclDialect(
        String label,
        List<String> libraries,
        String prefix,
        int idBytes,
        boolean countsRanksInLong,
        int configBytes,
        int configVersion,
        List<NcclResult> results,
        Map<NcclFunction, List<String>> spellings,
        Set<NcclFunction> missing,
        boolean averages,
        boolean blocksInCalls) {

    /**
     * NVIDIA's NCCL. Its configuration is that of 2.18, which each later version takes for one with the rest undefined. <b>Source.</b> {@code nccl.h}
     * of 2.18 to 2.30.
     */
    static final NcclDialect NCCL = likeNccl("NCCL", List.of("libnccl.so.2", "libnccl.so"), Map.of());

    /**
     * AMD's RCCL: NCCL's interface by another name. <b>Source.</b> {@code rccl.h}; before 2.28 it had an all-to-all of its own, spelled otherwise.
     */
    static final NcclDialect RCCL = likeNccl(
            "RCCL",
            List.of("librccl.so.1", "librccl.so"),
            Map.of(NcclFunction.ALL_TO_ALL, List.of("AlltoAll", "AllToAll")));

    /**
     * Intel's oneCCL, by its C interface, from 2021.17 on. <b>Source.</b> {@code oneapi/ccl.h} and {@code oneapi/ccl/v2/types.h}: finalizing,
     * aborting and errors that come later are declared and not implemented.
     */
    static final NcclDialect ONECCL = new NcclDialect(
            "oneCCL",
            List.of("libccl.so.2", "libccl.so.1", "libccl.so"),
            "oneccl",
            4096,
            true,
            56,
            20_211_700,
            List.of(
                    SUCCESS,
                    UNHANDLED_CUDA_ERROR,
                    SYSTEM_ERROR,
                    INTERNAL_ERROR,
                    INVALID_ARGUMENT,
                    INVALID_USAGE,
                    IN_PROGRESS,
                    UNHANDLED_CUDA_ERROR,
                    SYSTEM_ERROR,
                    SYSTEM_ERROR,
                    SYSTEM_ERROR,
                    INTERNAL_ERROR,
                    INVALID_USAGE),
            Map.of(NcclFunction.ALL_TO_ALL, List.of("AllToAll")),
            Set.of(NcclFunction.COMM_FINALIZE, NcclFunction.COMM_ABORT, NcclFunction.COMM_GET_ASYNC_ERROR),
            false,
            true);

    /** All that are known, the likelier first. */
    static final List<NcclDialect> ALL = List.of(NCCL, RCCL, ONECCL);

    NcclDialect {
        libraries = List.copyOf(libraries);
        results = List.copyOf(results);
        spellings = Map.copyOf(spellings);
        missing = Set.copyOf(missing);
    }

    private static NcclDialect likeNccl(
            String label, List<String> libraries, Map<NcclFunction, List<String>> spellings) {
        List<NcclResult> results = List.of(
                SUCCESS,
                UNHANDLED_CUDA_ERROR,
                SYSTEM_ERROR,
                INTERNAL_ERROR,
                INVALID_ARGUMENT,
                INVALID_USAGE,
                REMOTE_ERROR,
                IN_PROGRESS,
                TIMEOUT);
        return new NcclDialect(
                label,
                libraries,
                "nccl",
                128,
                false,
                48,
                21_800,
                results,
                spellings,
                Set.of(NcclFunction.SET_DEVICE),
                true,
                false);
    }

    /** {@return the names of a function, each of which may be there; none if it only fails} */
    List<String> symbols(NcclFunction function) {
        if (missing.contains(function)) {
            return List.of();
        }
        return spellings.getOrDefault(function, List.of(function.stem())).stream()
                .map(stem -> prefix + stem)
                .toList();
    }

    /** {@return the name of a function, for messages} */
    String name(NcclFunction function) {
        return prefix
                + spellings.getOrDefault(function, List.of(function.stem())).getFirst();
    }

    /** {@return what a number means} */
    NcclResult result(int number) {
        return number >= 0 && number < results.size() ? results.get(number) : NcclResult.UNKNOWN;
    }
}
