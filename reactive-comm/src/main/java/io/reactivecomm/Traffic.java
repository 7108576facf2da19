package io.reactivecomm;

import java.util.Objects;

/**
 * The counts of what a rank has sent over its links since it joined; only differences mean something to a program that measures.
 *
 * @param frames what the engine wrote: openings, announcements, grants, pieces, and the like
 * @param writes how often frames were handed on, a buffer with many small ones or a single large piece at a time: over TCP to the system,
 *     which takes each in one call unless the socket is full; within a JVM to the other rank
 * @param bytes what was handed on: over TCP with all headers, within a JVM what tensors held
 */
public record Traffic(long frames, long writes, long bytes) {

    /** Nothing. */
    public static final Traffic NONE = new Traffic(0, 0, 0);

    /** {@return this and that together} */
    public Traffic plus(Traffic other) {
        Objects.requireNonNull(other, "other");
        return new Traffic(frames + other.frames, writes + other.writes, bytes + other.bytes);
    }

    /** {@return this without that, which was counted before} */
    public Traffic minus(Traffic before) {
        Objects.requireNonNull(before, "before");
        return new Traffic(frames - before.frames, writes - before.writes, bytes - before.bytes);
    }
}
