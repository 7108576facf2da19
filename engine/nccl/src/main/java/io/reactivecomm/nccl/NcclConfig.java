package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * The configuration of a communicator.
 *
 * <p>It is written as a program does that was compiled with an old {@code nccl.h}: each newer library knows that layout by its size and version, and
 * takes what it does not have for undefined.
 *
 * <pre>
 *    0 size (8)      8 magic   12 version   16 blocking   20 cgaClusterSize   24 minCTAs   28 maxCTAs
 *   32 netName (8)  40 splitShare           44 trafficClass; oneCCL's: multiThreaded     48 oneCCL's: plugin, 0 is any
 * </pre>
 *
 * @param isBlocking whether functions return when they are done, not at once
 */
record NcclConfig(boolean isBlocking) {

    private static final int MAGIC = 0xcafebeef;
    private static final int UNDEFINED = Integer.MIN_VALUE;
    private static final int NET_NAME = 32;

    private static final int FIRST_INT = 16;
    private static final int END_OF_INTS = 48;

    MemorySegment write(NcclDialect dialect, SegmentAllocator allocator) {
        MemorySegment config = allocator.allocate(dialect.configBytes(), JAVA_LONG.byteAlignment());
        config.set(JAVA_LONG, 0, dialect.configBytes());
        config.set(JAVA_INT, 8, MAGIC);
        config.set(JAVA_INT, 12, dialect.configVersion());
        for (int at = FIRST_INT; at < END_OF_INTS; at += Integer.BYTES) {
            config.set(JAVA_INT, at, UNDEFINED);
        }
        config.set(JAVA_LONG, NET_NAME, 0);
        config.set(JAVA_INT, FIRST_INT, isBlocking ? 1 : 0);
        return config;
    }
}
