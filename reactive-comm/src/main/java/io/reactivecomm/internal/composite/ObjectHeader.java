package io.reactivecomm.internal.composite;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The header of an object's bytes: which collective they belong to, and how many they are.
 *
 * <pre>
 *   0                8                16
 *   +----------------+----------------+
 *   |  kind's code   |  length, bytes |     INT64 each; written by the rank that gives the object
 *   +----------------+----------------+
 * </pre>
 *
 * <p>What is read here comes from another rank, and memory is taken by it: so nothing is, before {@link #lengths} has passed it.
 */
final class ObjectHeader {

    /** The elements of a header. */
    static final int COUNT = 2;

    private static final int KIND = 0;
    private static final int LENGTH = 1;

    /** What one rank takes of one call, all ranks' objects together: a gather to one rank must not fill its memory. */
    private static final long MOST_TOGETHER_BYTES = CommConfig.MAX_OBJECT_BYTES;

    private ObjectHeader() {}

    /** Writes the header of an object. */
    static void write(Tensor header, ObjectKind kind, long lengthBytes) {
        header.segment().setAtIndex(ValueLayout.JAVA_LONG, KIND, kind.code());
        header.segment().setAtIndex(ValueLayout.JAVA_LONG, LENGTH, lengthBytes);
    }

    /** {@return a tensor for as many headers} */
    static Tensor tensor(Temporaries memory, int headers) {
        return memory.tensor(DType.INT64, (long) COUNT * headers);
    }

    /**
     * {@return the lengths that headers announce}
     *
     * @param headers one for each rank from {@code firstRank} on
     * @param mostBytes the largest object
     * @throws MismatchException if a rank performs something else
     * @throws InvalidCallException if a length is not one that this rank takes
     */
    static long[] lengths(ObjectKind kind, Tensor headers, int firstRank, long mostBytes) {
        MemorySegment segment = headers.segment();
        long[] lengths = new long[Math.toIntExact(headers.count() / COUNT)];
        long total = 0;
        for (int i = 0; i < lengths.length; i++) {
            int rank = firstRank + i;
            requireKind(kind, segment.getAtIndex(ValueLayout.JAVA_LONG, (long) COUNT * i + KIND), rank);
            lengths[i] = segment.getAtIndex(ValueLayout.JAVA_LONG, (long) COUNT * i + LENGTH);
            requireLength(kind, lengths[i], rank, mostBytes);
            total += lengths[i];
        }
        requireTogether(kind, total);
        return lengths;
    }

    private static void requireKind(ObjectKind kind, long code, int rank) {
        if (code != kind.code()) {
            throw new MismatchException(
                    "ranks issued different calls: rank " + rank + " of the group called " + ObjectKind.labelOf(code)
                            + ", this one " + kind.label() + "; let all ranks make the same calls in the same order");
        }
    }

    private static void requireLength(ObjectKind kind, long lengthBytes, int rank, long mostBytes) {
        if (lengthBytes < 0 || lengthBytes > mostBytes) {
            throw new InvalidCallException(
                    kind.label() + " got a length that is out of range: fromRank=" + rank + ", bytes=" + lengthBytes
                            + ", most=" + mostBytes + "; send less, or raise CommConfig.objectBytes on all ranks");
        }
    }

    /** Requires that so many bytes are not too many for one call. */
    static void requireTogether(ObjectKind kind, long totalBytes) {
        if (totalBytes > MOST_TOGETHER_BYTES) {
            throw new InvalidCallException(kind.label() + " got too much at once: bytes=" + totalBytes + ", most="
                    + MOST_TOGETHER_BYTES + "; send smaller objects, or several calls of fewer ranks");
        }
    }
}
