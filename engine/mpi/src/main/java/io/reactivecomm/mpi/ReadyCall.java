package io.reactivecomm.mpi;

/** A call of MPI, ready to be made. */
@FunctionalInterface
interface ReadyCall {

    /** @param request where its request is to be, or {@link MpiCalls#BLOCKING} */
    void begin(long comm, long request);
}
