/**
 * The parts that {@link io.reactivecomm.timeline.Timeline} wrote on each rank, read again and laid on one clock.
 * {@link io.reactivecomm.observability.trace.MergedTimeline} makes one trace of them for Perfetto.
 */
@NullMarked
package io.reactivecomm.observability.trace;

import org.jspecify.annotations.NullMarked;
