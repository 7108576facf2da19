/**
 * An engine of collectives that an installed MPI performs, such as Open MPI or MPICH, called through {@code java.lang.foreign}: chosen by
 * {@code RCOMM_BACKEND=mpi}.
 *
 * <pre>
 *   MpiEngine ── a call's turn ──&gt; Plan (what of MPI it takes) ──┬─ small ──&gt; SmallCalls: non-blocking, begun and looked at on the rank's loop
 *                                                               └─ large ──&gt; Worker: blocking, on a thread of its own
 *                                     both over the two communicators of the call's group (GroupComms), by MpiCalls, in a Dialect's words
 * </pre>
 */
@NullMarked
package io.reactivecomm.mpi;

import org.jspecify.annotations.NullMarked;
