package io.reactivecomm.recorder;

import java.time.Instant;
import java.util.Objects;

/**
 * The place and the moment that a dump is from.
 *
 * @param worldId what tells the rank's world from all others, the same on all its ranks; empty if it is not known
 * @param host the identity of the rank's machine
 * @param pid the process; ranks of a local world share one
 * @param reason why it was written
 * @param isPartial whether the loop did not answer, so that calls were read without it and may be out of date
 */
public record DumpOrigin(
        int rank,
        int worldSize,
        String worldId,
        String host,
        long pid,
        Instant time,
        String reason,
        boolean isPartial) {

    public DumpOrigin {
        Objects.requireNonNull(worldId, "worldId");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(time, "time");
        Objects.requireNonNull(reason, "reason");
    }
}
