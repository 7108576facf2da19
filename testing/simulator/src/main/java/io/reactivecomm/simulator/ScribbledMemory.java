package io.reactivecomm.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The tensors of one schedule, side by side in one block with guards between.
 *
 * <p>What a call has given back is scribbled over, so that a later read gives wrong results. A later write is found because the scribble
 * has gone; and the network asks before it touches a payload.
 */
final class ScribbledMemory {

    private static final int BLOCK_BYTES = 8 << 20;
    private static final int LONGEST_BYTES = 64 << 10;
    private static final int GUARD_BYTES = 16;
    private static final byte GUARD = 0x5A;
    private static final byte SCRIBBLE = (byte) 0xD5;

    private final MemorySegment block = Arena.ofAuto().allocate(BLOCK_BYTES, 64);
    private final MemorySegment guard = MemorySegment.ofArray(new byte[2 * 64]).fill(GUARD);
    private final MemorySegment scribble =
            MemorySegment.ofArray(new byte[LONGEST_BYTES]).fill(SCRIBBLE);
    private final List<Region> regions = new ArrayList<>();
    private long used;

    /** One tensor's memory. */
    static final class Region {

        private final Object owner;
        private final long from;
        private final MemorySegment memory;
        private boolean lent = true;
        private boolean scribbled;

        private Region(Object owner, long from, MemorySegment memory) {
            this.owner = owner;
            this.from = from;
            this.memory = memory;
        }

        MemorySegment memory() {
            return memory;
        }

        private long end() {
            return from + memory.byteSize();
        }
    }

    /**
     * {@return memory of unspecified content}
     *
     * @param skew how far its beginning is from a multiple of 64
     * @param owner whose it is, shown in messages
     */
    Region allocate(long lengthBytes, int skew, Object owner) {
        if (lengthBytes > LONGEST_BYTES) {
            throw new IllegalArgumentException("a tensor is too long for the simulator: lengthBytes=" + lengthBytes);
        }
        long from = (used + GUARD_BYTES + 63) / 64 * 64 + skew;
        Region region = new Region(owner, from, block.asSlice(from, lengthBytes));
        block.asSlice(used, from - used).fill(GUARD);
        used = region.end();
        block.asSlice(used, GUARD_BYTES).fill(GUARD);
        regions.add(region);
        return region;
    }

    /** The call that had it has ended, and nobody wants what is in it. */
    void release(Region region) {
        region.lent = false;
        region.scribbled = true;
        region.memory.fill(SCRIBBLE);
    }

    /** The call that had it has ended; what is in it is wanted. */
    void keep(Region region) {
        region.lent = false;
    }

    /** Another call has it now. */
    void lend(Region region) {
        region.lent = true;
        region.scribbled = false;
    }

    /** {@return the tensor's memory that begins there or before} */
    Region regionOf(MemorySegment part) {
        return regions.get(indexAt(part.address() - block.address()));
    }

    /** Requires that memory of a payload, if it is a tensor's, still belongs to a call. */
    void checkBorrowed(MemorySegment part, String access) {
        if (!part.isNative() || part.byteSize() == 0) {
            return;
        }
        long from = part.address() - block.address();
        if (from < 0 || from >= used) {
            return;
        }
        Region region = regions.get(indexAt(from));
        if (from < region.from || from + part.byteSize() > region.end()) {
            throw new Violation("a link " + access + " memory beside a tensor: tensor=" + region.owner);
        }
        if (!region.lent) {
            throw new Violation(
                    "a link " + access + " a tensor after the terminal signal of its call: tensor=" + region.owner);
        }
    }

    private int indexAt(long from) {
        int low = 0;
        int high = regions.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (regions.get(middle).from <= from) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Requires that nothing was written beside a tensor, nor into one that was released. */
    void checkIntact() {
        long end = 0;
        for (Region region : regions) {
            long gap = region.from - end;
            if (MemorySegment.mismatch(block, end, region.from, guard, 0, gap) >= 0) {
                throw new Violation("memory was written before a tensor: tensor=" + region.owner);
            }
            end = region.end();
            long length = region.memory.byteSize();
            if (region.scribbled && MemorySegment.mismatch(block, region.from, end, scribble, 0, length) >= 0) {
                throw new Violation(
                        "a tensor was written after the terminal signal of its call: tensor=" + region.owner);
            }
        }
        if (MemorySegment.mismatch(block, end, end + GUARD_BYTES, guard, 0, GUARD_BYTES) >= 0 && !regions.isEmpty()) {
            throw new Violation("memory was written behind a tensor: tensor=" + regions.getLast().owner);
        }
    }

    /** Forgets all tensors. */
    void clear() {
        regions.clear();
        used = 0;
    }
}
