package io.reactivecomm.observability.trace;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The clock of a rank in a {@link MergedTimeline}, against that of the reference, the lowest rank among the parts.
 *
 * @param rank in the world
 * @param part the file that has it
 * @param basis how the two were compared
 * @param offsetNanos what is added to its times, at the end of its part; clocks drift, so earlier it was another
 * @param boundNanos by how much its times may be wrong beside the reference's, in either direction; empty where nobody knows
 */
public record RankClock(int rank, Path part, Basis basis, long offsetNanos, OptionalLong boundNanos) {

    /** The comparison of two clocks. */
    public enum Basis {
        /** The reference's own. */
        REFERENCE("the reference"),
        /** One process, one clock. */
        SAME_PROCESS("the same process"),
        /** Stamps on heartbeats, directly or by way of other ranks. */
        HEARTBEATS("heartbeats"),
        /** Only the time of day on both machines, which may be wrong by anything. */
        TIME_OF_DAY("time of day");

        private final String words;

        Basis(String words) {
            this.words = words;
        }

        /** {@return it in words} */
        @Override
        public String toString() {
            return words;
        }
    }
}
