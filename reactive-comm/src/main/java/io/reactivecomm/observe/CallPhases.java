package io.reactivecomm.observe;

import java.util.OptionalLong;

/**
 * The phases of a call's time on one rank, one after the other, in nanoseconds. What an engine does not know is absent; the time of what is absent is in
 * {@link #wire()}, or in nothing if that is absent, too.
 *
 * <pre>
 *   subscribed ── queued ──&gt; begun on the loop ── matching ──&gt; all that it deals with have joined ── wire, and fold within ──&gt; over
 * </pre>
 *
 * @param queued until the loop began it
 * @param matching from then until the last of the ranks that this one exchanges something with had joined: the time that it waited for the latest
 * @param wire from then to the end, without {@code fold}: bytes under way, and waiting for bytes
 * @param fold of combining elements on this rank, 4 KiB or more at a time; less takes no longer than reading the clock, and is in {@code wire}
 */
public record CallPhases(OptionalLong queued, OptionalLong matching, OptionalLong wire, OptionalLong fold) {

    /** A call of which nothing is known but how long it took. */
    public static final CallPhases UNKNOWN =
            new CallPhases(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
}
