/**
 * Doubles in C of the CUDA driver and of NCCL, and of what speaks as NCCL does: stricter than the real ones, on the host's memory and its threads.
 * They are for tests, and for trying without a GPU what needs one; of speed they say nothing. gcc compiles them on the spot, once for a state of
 * their sources.
 */
@NullMarked
package io.reactivecomm.nccl.doubles;

import org.jspecify.annotations.NullMarked;
