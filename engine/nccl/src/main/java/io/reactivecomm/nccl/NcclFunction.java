package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;

/**
 * The functions of NCCL that are called here: the one table of symbols. Those that are required are looked up when the library is loaded; of the
 * others dlsym decides at their first use, as they are weak, newer, or not in every dialect.
 *
 * <p>Parameters are a letter each: {@code p} an address or a handle, {@code l} a size_t, {@code i} an int, {@code n} a number of ranks, which is a
 * size_t in some dialects, {@code u} a unique id by value.
 */
enum NcclFunction {
    GET_VERSION("GetVersion", "p", Need.REQUIRED),
    GET_UNIQUE_ID("GetUniqueId", "p", Need.REQUIRED),
    GET_ERROR_STRING("GetErrorString", "i", Need.REQUIRED),
    /** From 2.13. */
    GET_LAST_ERROR("GetLastError", "p", Need.OPTIONAL),
    COMM_INIT_RANK("CommInitRank", "pnui", Need.REQUIRED),
    /** From 2.14. */
    COMM_INIT_RANK_CONFIG("CommInitRankConfig", "pnuip", Need.OPTIONAL),
    /** From 2.18. */
    COMM_SPLIT("CommSplit", "piipp", Need.OPTIONAL),
    /** From 2.27. */
    COMM_SHRINK("CommShrink", "ppippi", Need.OPTIONAL),
    /** From 2.29, and the next. */
    COMM_GROW("CommGrow", "pipipp", Need.OPTIONAL),
    COMM_GET_UNIQUE_ID("CommGetUniqueId", "pp", Need.OPTIONAL),
    /** From 2.14. */
    COMM_FINALIZE("CommFinalize", "p", Need.OPTIONAL),
    COMM_DESTROY("CommDestroy", "p", Need.REQUIRED),
    /** All but oneCCL. */
    COMM_ABORT("CommAbort", "p", Need.OPTIONAL),
    /** From 2.28. */
    COMM_REVOKE("CommRevoke", "pi", Need.OPTIONAL),
    /** All but oneCCL. */
    COMM_GET_ASYNC_ERROR("CommGetAsyncError", "pp", Need.OPTIONAL),
    COMM_COUNT("CommCount", "pp", Need.REQUIRED),
    COMM_USER_RANK("CommUserRank", "pp", Need.REQUIRED),
    /** From 2.19, and the next three. */
    COMM_REGISTER("CommRegister", "pplp", Need.OPTIONAL),
    COMM_DEREGISTER("CommDeregister", "pp", Need.OPTIONAL),
    MEM_ALLOC("MemAlloc", "pl", Need.OPTIONAL),
    MEM_FREE("MemFree", "p", Need.OPTIONAL),
    /** OneCCL only: the others take the device of the thread's context. */
    SET_DEVICE("SetDevice", "i", Need.OPTIONAL),
    ALL_REDUCE("AllReduce", "ppliipp", Need.REQUIRED),
    REDUCE("Reduce", "ppliiipp", Need.REQUIRED),
    BROADCAST("Broadcast", "ppliipp", Need.REQUIRED),
    REDUCE_SCATTER("ReduceScatter", "ppliipp", Need.REQUIRED),
    ALL_GATHER("AllGather", "pplipp", Need.REQUIRED),
    SEND("Send", "pliipp", Need.REQUIRED),
    RECV("Recv", "pliipp", Need.REQUIRED),
    /** From 2.28.3, and the next two. */
    ALL_TO_ALL("AlltoAll", "pplipp", Need.OPTIONAL),
    GATHER("Gather", "ppliipp", Need.OPTIONAL),
    SCATTER("Scatter", "ppliipp", Need.OPTIONAL),
    /** From 2.11, and the next. */
    RED_OP_CREATE_PRE_MUL_SUM("RedOpCreatePreMulSum", "ppiip", Need.OPTIONAL),
    RED_OP_DESTROY("RedOpDestroy", "ip", Need.OPTIONAL),
    GROUP_START("GroupStart", "", Need.REQUIRED),
    GROUP_END("GroupEnd", "", Need.REQUIRED);

    private enum Need {
        REQUIRED,
        OPTIONAL
    }

    private final String stem;
    private final String parameters;
    private final Need need;

    NcclFunction(String stem, String parameters, Need need) {
        this.stem = stem;
        this.parameters = parameters;
        this.need = need;
    }

    /** {@return its name without the dialect's prefix, as NCCL spells it} */
    String stem() {
        return stem;
    }

    boolean isRequired() {
        return need == Need.REQUIRED;
    }

    /** {@return whether it takes a unique id by value, after a number of ranks} */
    boolean takesId() {
        return parameters.contains("u");
    }

    FunctionDescriptor descriptor(NcclDialect dialect) {
        MemoryLayout[] layouts =
                parameters.chars().mapToObj(each -> layout(each, dialect)).toArray(MemoryLayout[]::new);
        return switch (this) {
            case GET_ERROR_STRING, GET_LAST_ERROR -> FunctionDescriptor.of(ADDRESS, layouts);
            default -> FunctionDescriptor.of(JAVA_INT, layouts);
        };
    }

    private static MemoryLayout layout(int parameter, NcclDialect dialect) {
        return switch (parameter) {
            case 'i' -> JAVA_INT;
            case 'n' -> dialect.countsRanksInLong() ? JAVA_LONG : JAVA_INT;
            case 'u' -> MemoryLayout.structLayout(MemoryLayout.sequenceLayout(dialect.idBytes(), JAVA_BYTE));
            default -> JAVA_LONG;
        };
    }
}
