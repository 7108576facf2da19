package io.reactivecomm.nccl;

import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/**
 * Handles of the functions that are called by the thousand in a group, each of which takes the function's address first. They are constants of the
 * program, so that the JVM compiles them into its own code: a call costs 5 ns, where one by a handle that is bound to an address costs 15.
 *
 * <p><b>Threads.</b> Any.
 */
final class PlainCalls {

    static final MethodHandle ALL_REDUCE = of(NcclFunction.ALL_REDUCE);
    static final MethodHandle REDUCE = of(NcclFunction.REDUCE);
    static final MethodHandle BROADCAST = of(NcclFunction.BROADCAST);
    static final MethodHandle REDUCE_SCATTER = of(NcclFunction.REDUCE_SCATTER);
    static final MethodHandle ALL_GATHER = of(NcclFunction.ALL_GATHER);
    static final MethodHandle SEND = of(NcclFunction.SEND);
    static final MethodHandle RECV = of(NcclFunction.RECV);
    static final MethodHandle GROUP_START = of(NcclFunction.GROUP_START);
    static final MethodHandle GROUP_END = of(NcclFunction.GROUP_END);

    private PlainCalls() {}

    /** None of these has a parameter that differs between dialects. */
    private static MethodHandle of(NcclFunction function) {
        return Linker.nativeLinker().downcallHandle(function.descriptor(NcclDialect.NCCL));
    }
}
