/**
 * A trace of what the ranks of a job did, for Perfetto: {@link io.reactivecomm.timeline.Timeline} records a part on each rank. {@code Recorder} and
 * {@code RecordRing} are the way from the ranks' threads to the one that writes, {@code PartWriter} what it writes. The artifact
 * reactive-comm-observability lays the parts on one clock and reports on them.
 */
@NullMarked
package io.reactivecomm.timeline;

import org.jspecify.annotations.NullMarked;
