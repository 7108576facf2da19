/**
 * {@code rcomm perf}: the time and bandwidth of one collective at a time, counted as nccl-tests counts them, or of a list of all-reduces in
 * flight at once.
 */
@NullMarked
package io.reactivecomm.rcomm.perf;

import org.jspecify.annotations.NullMarked;
