/**
 * The libraries that one would use instead, measured as {@code rcomm perf} measures ours: Gloo through torch, Open MPI, MPICH and MPJ
 * Express, whichever are installed; and a loop in C that shows how far one gets on this machine.
 *
 * <p>Each is driven by a small program of its own (among this package's resources), which makes the same calls of the same sizes and prints
 * the mean time of a round in each batch, one line for each measurement:
 *
 * <pre>
 *   result WAY BYTES MICROS,MICROS,...     the way is call, or for lists in-flight or in-turn
 *   unsupported REASON
 * </pre>
 */
@NullMarked
package io.reactivecomm.rcomm.peers;

import org.jspecify.annotations.NullMarked;
