package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The remote operands of a fold that came whole, with their announcement. Owned by the loop. */
final class EagerOperands {

    /** Kernels are fast on memory outside the heap alone; for less than this that does not matter. */
    private static final int LEAST_BLOCK_BYTES = 1 << 10;

    private static final Scratch.Block[] NO_BLOCKS = new Scratch.Block[0];

    private final Scratch scratch;
    private final @Nullable MemorySegment[] memories;
    /** What holds those that wait, by operand; none as long as none does. */
    private Scratch.@Nullable Block[] blocks = NO_BLOCKS;

    EagerOperands(int operandCount, Scratch scratch) {
        this.scratch = scratch;
        this.memories = new MemorySegment[operandCount];
    }

    /**
     * Takes an operand.
     *
     * @param isFoldedNow whether the link's buffer holds it long enough
     */
    void take(int operand, Frame.Edge news, boolean isFoldedNow) {
        MemorySegment came = news.eager();
        memories[operand] = isFoldedNow && came.isNative() ? came : kept(operand, news);
    }

    private MemorySegment kept(int operand, Frame.Edge news) {
        long bytes = news.eager().byteSize();
        Scratch.Block block = bytes < LEAST_BLOCK_BYTES ? null : scratch.take(bytes);
        if (block == null) {
            return news.keptBytes();
        }
        if (blocks == NO_BLOCKS) {
            blocks = new Scratch.Block[memories.length];
        }
        blocks[operand] = block;
        return block.memory().asSlice(0, bytes).copyFrom(news.eager());
    }

    @Nullable MemorySegment memory(int operand) {
        return memories[operand];
    }

    /** {@return all of them, by operand; null where one is this rank's own or comes in pieces} */
    @Nullable MemorySegment[] memories() {
        return memories;
    }

    /** They are folded, or will not be. */
    void letGo() {
        for (Scratch.Block block : blocks) {
            if (block != null) {
                block.giveBack();
            }
        }
        blocks = NO_BLOCKS;
    }
}
