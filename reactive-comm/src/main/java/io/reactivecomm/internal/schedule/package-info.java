/**
 * The algorithms as pure arithmetic: which rank sends which elements to which, step by step. No I/O, no tensors, no time. Depends on
 * the root and {@code collective} packages.
 *
 * <p>Here is what schedules are made of; {@code flat} and {@code hosts} are the algorithms, and {@code choice} says which one a call gets.
 */
@NullMarked
package io.reactivecomm.internal.schedule;

import org.jspecify.annotations.NullMarked;
