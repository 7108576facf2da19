/**
 * A trace of what the ranks of a job did, for Perfetto: {@link io.reactivecomm.timeline.Timeline} records a part on each rank, and
 * {@link io.reactivecomm.timeline.MergedTimeline} makes one trace of the parts, on one clock. {@code Recorder} and {@code RecordRing} are the way from
 * the ranks' threads to the one that writes, {@code PartWriter} what it writes; {@code TracePart}, {@code ClockLine} and {@code Alignment} read it again.
 */
@NullMarked
package io.reactivecomm.timeline;

import org.jspecify.annotations.NullMarked;
