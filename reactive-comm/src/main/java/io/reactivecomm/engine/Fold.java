package io.reactivecomm.engine;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.kernel.FoldKernel;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a fold computes, whenever its operands come: this rank's own, in which order, with which kernel, and where to. Owned by the loop. */
final class Fold {

    private final Call call;
    private final Stretch target;
    private final boolean finish;
    private final Tools tools;
    private final boolean[] partial;
    /** This rank's own operands; none at the places of the others'. */
    private final @Nullable Stretch[] locals;
    /** What one call of the kernel folds; here so that nothing is allocated for a call. */
    private final MemorySegment[] sources;

    /** @param finish whether elements get their final value, or are accumulated further by another rank */
    Fold(Call call, Stretch target, int operandCount, boolean finish, Tools tools) {
        this.call = call;
        this.target = target;
        this.finish = finish;
        this.tools = tools;
        this.partial = new boolean[operandCount];
        this.locals = new Stretch[operandCount];
        this.sources = new MemorySegment[operandCount];
    }

    /**
     * What folds of one type and operation work with.
     *
     * @param elementBytes the width of an element of a tensor
     * @param partialBytes the width of one that is not finished
     */
    record Tools(FoldKernel kernel, int elementBytes, int partialBytes) {

        int width(boolean isPartial) {
            return isPartial ? partialBytes : elementBytes;
        }
    }

    Call call() {
        return call;
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
    void local(int operand, Stretch elements, boolean isPartial) {
        locals[operand] = elements;
        partial[operand] = isPartial;
    }

    /** Another rank has that operand. {@return the width of its elements} */
    int remote(int operand, boolean isPartial) {
        partial[operand] = isPartial;
        return tools.width(isPartial);
    }

    /**
     * {@return whether it was done, which only a caller's own operator can spoil}
     *
     * @param from the first element
     * @param remote the others' operands by their places, from that element on
     */
    boolean folds(long from, long elements, @Nullable MemorySegment[] remote) {
        try {
            for (long at = 0; at < elements; ) {
                at += fold(from, at, elements, remote);
            }
            return true;
        } catch (InvalidCallException e) {
            call.spoil(e);
            return false;
        }
    }

    /** Folds as far as all of this rank's elements lie in one tensor each. {@return how many elements that were} */
    private long fold(long from, long at, long elements, @Nullable MemorySegment[] remote) {
        long here = target.together(from + at, elements - at);
        for (Stretch local : locals) {
            here = local == null ? here : local.together(from + at, here);
        }
        for (int i = 0; i < sources.length; i++) {
            Stretch local = locals[i];
            sources[i] = local != null ? local.slice(from + at, here) : after(Objects.requireNonNull(remote[i]), at * tools.width(partial[i]));
        }
        MemorySegment out = target.slice(from + at, here);
        if (finish) {
            tools.kernel.fold(out, sources, partial, partial.length, here, call.groupSize());
        } else {
            tools.kernel.foldPartial(out, sources, partial, partial.length, here);
        }
        return here;
    }

    private static MemorySegment after(MemorySegment memory, long bytes) {
        return bytes == 0 ? memory : memory.asSlice(bytes);
    }
}
