package io.reactivecomm.internal.transfer;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The terms of a fold, whenever its operands come: this rank's own, their order, the kernel, and the target. Owned by the loop. */
final class FoldOperation {

    private final RowSlice target;
    private final int groupSize;
    private final boolean finish;
    private final FoldTools tools;
    private final boolean[] partial;
    /** This rank's own operands; none at the places of the others'. */
    private final @Nullable RowSlice[] locals;
    /** What one call of the kernel folds; here so that nothing is allocated for a call. */
    private final MemorySegment[] sources;

    /**
     * @param groupSize what an average divides by
     * @param finish whether elements get their final value, or are accumulated further by another rank
     */
    FoldOperation(RowSlice target, int groupSize, int operandCount, boolean finish, FoldTools tools) {
        this.target = target;
        this.groupSize = groupSize;
        this.finish = finish;
        this.tools = tools;
        this.partial = new boolean[operandCount];
        this.locals = new RowSlice[operandCount];
        this.sources = new MemorySegment[operandCount];
    }

    /** {@return how many elements it makes} */
    long count() {
        return target.count();
    }

    int operandCount() {
        return partial.length;
    }

    /** {@return the width of an element of what it makes} */
    int targetBytes() {
        return target.elementBytes();
    }

    /** That operand is this rank's own. */
    void local(int operand, RowSlice elements, boolean isPartial) {
        locals[operand] = elements;
        partial[operand] = isPartial;
    }

    /** Another rank has that operand. {@return the width of its elements} */
    int remote(int operand, boolean isPartial) {
        partial[operand] = isPartial;
        return tools.width(isPartial);
    }

    /**
     * Folds elements.
     *
     * @param from the first element
     * @param remote the others' operands by their places, from that element on
     * @throws io.reactivecomm.InvalidCallException if a caller's own operator threw
     */
    void fold(long from, long elements, @Nullable MemorySegment[] remote) {
        for (long at = 0; at < elements; ) {
            at += foldTogether(from, at, elements, remote);
        }
    }

    /** Folds as far as all of this rank's elements lie in one tensor each. {@return how many elements that were} */
    private long foldTogether(long from, long at, long elements, @Nullable MemorySegment[] remote) {
        long here = target.together(from + at, elements - at);
        for (RowSlice local : locals) {
            here = local == null ? here : local.together(from + at, here);
        }
        for (int i = 0; i < sources.length; i++) {
            RowSlice local = locals[i];
            sources[i] = local != null
                    ? local.slice(from + at, here)
                    : after(Objects.requireNonNull(remote[i]), at * tools.width(partial[i]));
        }
        MemorySegment out = target.slice(from + at, here);
        if (finish) {
            tools.kernel().fold(out, sources, partial, partial.length, here, groupSize);
        } else {
            tools.kernel().foldPartial(out, sources, partial, partial.length, here);
        }
        return here;
    }

    private static MemorySegment after(MemorySegment memory, long bytes) {
        return bytes == 0 ? memory : memory.asSlice(bytes);
    }
}
