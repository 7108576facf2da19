/**
 * The bytes of calls that run: their steps, the edges between two ranks, grants, windows and memory, and what goes to a link.
 *
 * <p>Knows nothing of who called, of when a call must end, or of agreement between ranks: whoever is above begins a
 * {@link io.reactivecomm.internal.transfer.Transfer}, hands in what comes over links, and is told which calls to look at. Depends on links
 * ({@code spi}), schedules and kernels.
 */
@NullMarked
package io.reactivecomm.internal.transfer;

import org.jspecify.annotations.NullMarked;
