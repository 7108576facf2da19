/**
 * The algorithms as pure arithmetic: which rank sends which elements to which, step by step. No I/O, no tensors, no time. Depends on
 * the root and {@code collective} packages.
 */
@NullMarked
package io.reactivecomm.internal.schedule;

import org.jspecify.annotations.NullMarked;
