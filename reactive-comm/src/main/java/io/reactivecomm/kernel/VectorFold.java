package io.reactivecomm.kernel;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import jdk.incubator.vector.ByteVector;
import org.jspecify.annotations.Nullable;

/**
 * The fold of a standard reduction straight on memory outside the heap, up to four operands in one pass.
 *
 * <p>Anatomy: {@link FoldLoops} take as many operands as follow the first, at most three, and are of one kind, elements or partial results.
 * If that is all of them, one loop runs over the whole memory. If not, the blocks of operands are folded from the left a strip at a time.
 * What is between them, accumulators, lies in a scratch that stays in the first cache. Only the last block writes the target. For five
 * operands of elements:
 *
 * <pre>
 *   ((e0 op e1) op e2) op e3  →  scratch
 *                scratch op e4  →  target
 * </pre>
 *
 * What is left, less than {@link #GRAIN} elements, goes the way of the {@link StripFold}, which gives the same bits. So does all, for whom
 * that is asked, until the loops are {@linkplain Warmup compiled}.
 *
 * <p><b>Memory.</b> The loops check nothing, so each segment is looked at before. A call with one that no loop may touch goes the way of
 * the strips too, whose accesses say what is wrong: one on the heap, as small tensors that came early are, closed, another thread's, too
 * short or not to be written. So do those with a mapped file, which may be truncated at any time: the JVM does not survive a lost page in a loop on
 * vectors. A segment must not be closed while it is folded: its owner waits for the call, as for every engine.
 *
 * <p><b>Cost.</b> One pass over the operands and the target. On a core of 2.6 GHz with vectors of 512 bits and 1 MiB each, 110 µs for two
 * and 205 µs for four operands. That is what a loop in C takes. Loaded only where the module {@code jdk.incubator.vector} is.
 */
final class VectorFold implements FoldKernel {

    /** The loops take a multiple of this many elements: the bytes of a vector, so that elements of any width fill whole ones. */
    static final int GRAIN = ByteVector.SPECIES_PREFERRED.length();

    /** Elements of a strip: with its operands, accumulators of 8 bytes fill a usual first cache; a multiple of any vector. */
    private static final int STRIP = StripFold.STRIP;

    private static final int MAX_OPERANDS = 4;

    private final DType type;
    private final ReduceOp op;
    private final StripFold<?> rest;

    /** Whether loops are used once they are compiled, and not before. */
    private final boolean waits;

    /** Whether a partial result is of another type than an element. */
    private final boolean isNarrow;

    /** By form: a bit each for the kind of the first operand, of the others and of the target. Made when first needed. */
    private final MethodHandle[] @Nullable [] loops = new MethodHandle[8][];

    /** By form, as the loops. */
    private final Warmup[] @Nullable [] warmth = new Warmup[8][];

    /** Made when first needed, as most folds are of one block: the collector alone frees it, and no lack of memory outside the heap hurries it. */
    private @Nullable MemorySegment scratch;

    /** The addresses of those of a block. */
    private final long[] operands = new long[MAX_OPERANDS];

    /**
     * @param rest folds what the loops do not
     * @param waits whether it also does as long as they are not compiled
     */
    VectorFold(DType type, ReduceOp op, StripFold<?> rest, boolean waits) {
        this.type = type;
        this.op = op;
        this.rest = rest;
        this.waits = waits;
        this.isNarrow = type.accumulator() != type;
    }

    /** {@return the width in use, for a log line} */
    static String describe() {
        return GRAIN * Byte.SIZE + "-bit vectors";
    }

    @Override
    public void fold(
            MemorySegment target,
            MemorySegment[] sources,
            boolean[] partial,
            int sourceCount,
            long count,
            int divisor) {
        long whole = wholeVectors(target, false, sources, partial, sourceCount, count);
        fold(target, false, sources, partial, sourceCount, whole, divisor);
        rest.foldRange(target, sources, partial, sourceCount, whole, count, divisor);
    }

    @Override
    public void foldPartial(
            MemorySegment target, MemorySegment[] sources, boolean[] partial, int sourceCount, long count) {
        long whole = wholeVectors(target, true, sources, partial, sourceCount, count);
        fold(target, true, sources, partial, sourceCount, whole, 1);
        rest.foldPartialRange(target, sources, partial, sourceCount, whole, count);
    }

    /** {@return how many elements the loops take: none if they may not touch one of the memories} */
    private long wholeVectors(
            MemorySegment target,
            boolean toPartial,
            MemorySegment[] sources,
            boolean[] partial,
            int sourceCount,
            long count) {
        boolean open = hasLoops(toPartial, partial, sourceCount)
                && !target.isReadOnly()
                && isOpen(target, count * width(toPartial));
        for (int i = 0; i < sourceCount; i++) {
            open &= isOpen(sources[i], count * width(partial[i]));
        }
        return open && count >= GRAIN && (!waits || areCompiled(toPartial, partial, sourceCount))
                ? count - count % GRAIN
                : 0;
    }

    /** {@return whether the loops of all blocks are compiled; those that are not will be} */
    private boolean areCompiled(boolean toPartial, boolean[] partial, int sourceCount) {
        boolean areCompiled = true;
        boolean isPartial = partial[0];
        int next = 1;
        do {
            int end = blockEnd(partial, next, sourceCount);
            areCompiled &=
                    warmth(isPartial, end > next && partial[next], end < sourceCount || toPartial)[end - next].isWarm();
            isPartial = true;
            next = end;
        } while (next < sourceCount);
        return areCompiled;
    }

    /** {@return whether there are loops for such operands: those of FLOAT16 take no partial results, and pass none to each other} */
    private boolean hasLoops(boolean toPartial, boolean[] partial, int sourceCount) {
        if (type != DType.FLOAT16) {
            return true;
        }
        boolean isPlain = !toPartial && sourceCount <= MAX_OPERANDS;
        for (int i = 0; i < sourceCount; i++) {
            isPlain &= !partial[i];
        }
        return isPlain;
    }

    static boolean isOpen(MemorySegment memory, long bytes) {
        return memory.isNative()
                && !memory.isMapped()
                && memory.byteSize() >= bytes
                && memory.scope().isAlive()
                && memory.isAccessibleBy(Thread.currentThread());
    }

    /** Folds whole vectors, all at once if the operands are a single block. */
    private void fold(
            MemorySegment target,
            boolean toPartial,
            MemorySegment[] sources,
            boolean[] partial,
            int sourceCount,
            long count,
            int divisor) {
        boolean isOneBlock = blockEnd(partial, 1, sourceCount) == sourceCount;
        long step = isOneBlock ? count : STRIP;
        long between = isOneBlock ? 0 : scratch().address();
        for (long from = 0; from < count; from += step) {
            long n = Math.min(step, count - from);
            operands[0] = address(sources[0], partial[0], from);
            boolean isPartial = partial[0];
            int next = 1;
            do {
                int end = blockEnd(partial, next, sourceCount);
                gather(sources, partial, next, end, from);
                boolean isLast = end == sourceCount;
                MethodHandle[] loops = loops(isPartial, end > next && partial[next], !isLast || toPartial);
                run(
                        loops[end - next],
                        isLast ? address(target, toPartial, from) : between,
                        operands,
                        end - next + 1,
                        n,
                        divisor);
                operands[0] = between;
                isPartial = true;
                next = end;
            } while (next < sourceCount);
        }
        // Memory that the collector frees stays until here.
        Reference.reachabilityFence(target);
        Reference.reachabilityFence(sources);
        Reference.reachabilityFence(this);
    }

    private MemorySegment scratch() {
        MemorySegment known = scratch;
        if (known != null) {
            return known;
        }
        MemorySegment made =
                Arena.ofAuto().allocate((long) STRIP * type.accumulator().byteSize(), 64);
        scratch = made;
        return made;
    }

    /** Notes where the operands of a block begin, but for its first. */
    private void gather(MemorySegment[] sources, boolean[] partial, int next, int end, long from) {
        for (int s = next; s < end; s++) {
            operands[s - next + 1] = address(sources[s], partial[s], from);
        }
    }

    /** {@return up to where the operands from {@code next} on are of one kind, and a loop takes them besides a first} */
    private int blockEnd(boolean[] partial, int next, int sourceCount) {
        int most = Math.min(sourceCount, next + MAX_OPERANDS - 1);
        int end = next;
        while (end < most && (!isNarrow || partial[end] == partial[next])) {
            end++;
        }
        return end;
    }

    private long address(MemorySegment memory, boolean isPartial, long from) {
        return memory.address() + from * width(isPartial);
    }

    private int width(boolean isPartial) {
        return (isPartial ? type.accumulator() : type).byteSize();
    }

    private MethodHandle[] loops(boolean first, boolean others, boolean toPartial) {
        int index = index(first, others, toPartial);
        MethodHandle[] known = loops[index];
        if (known != null) {
            return known;
        }
        MethodHandle[] made = form(first, others, toPartial).loops();
        loops[index] = made;
        return made;
    }

    private Warmup[] warmth(boolean first, boolean others, boolean toPartial) {
        int index = index(first, others, toPartial);
        Warmup[] known = warmth[index];
        if (known != null) {
            return known;
        }
        Warmup[] made = form(first, others, toPartial).warmth();
        warmth[index] = made;
        return made;
    }

    private static int index(boolean first, boolean others, boolean toPartial) {
        return (first ? 1 : 0) | (others ? 2 : 0) | (toPartial ? 4 : 0);
    }

    private FoldForm form(boolean first, boolean others, boolean toPartial) {
        boolean staysUndivided = toPartial && (isNarrow || op == ReduceOp.AVG);
        return new FoldForm(type, op, first && isNarrow, others && isNarrow, staysUndivided);
    }

    /** Runs a loop over the operands that begin at those addresses. */
    static void run(MethodHandle loop, long target, long[] o, int operandCount, long count, int divisor) {
        try {
            switch (operandCount) {
                case 1 -> loop.invokeExact(target, o[0], count, divisor);
                case 2 -> loop.invokeExact(target, o[0], o[1], count, divisor);
                case 3 -> loop.invokeExact(target, o[0], o[1], o[2], count, divisor);
                case MAX_OPERANDS -> loop.invokeExact(target, o[0], o[1], o[2], o[3], count, divisor);
                default -> throw new AssertionError("no loop over so many operands: operands=" + operandCount);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a loop declares nothing", e);
        }
    }
}
