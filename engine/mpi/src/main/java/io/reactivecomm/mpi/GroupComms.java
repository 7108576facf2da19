package io.reactivecomm.mpi;

/**
 * The communicators of a group. MPI does not match a blocking collective with a non-blocking one, and wants those of a communicator in one order; here they are
 * begun by different threads, so each kind has a communicator to itself.
 *
 * @param blocking for what the {@link Worker} calls
 * @param polled for what {@link SmallCalls} begin
 */
record GroupComms(long blocking, long polled) {}
