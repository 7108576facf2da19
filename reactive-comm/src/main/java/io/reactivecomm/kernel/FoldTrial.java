package io.reactivecomm.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Arrays;

/** A form's loop over some operands, and the fold without vectors that gives the same. */
final class FoldTrial implements Warmup.Trial {

    /** As many as a loop over vectors usually has turns, within the first cache. */
    private static final int COUNT = 16 * VectorFold.GRAIN;

    private static final int DIVISOR = 2;

    private final FoldForm form;
    private final MethodHandle loop;
    private final StripFold<?> plain;
    private final MemorySegment target;
    private final MemorySegment[] operands;
    private final boolean[] partial;

    FoldTrial(FoldForm form, int operandCount) {
        this.form = form;
        this.loop = form.loops()[operandCount - 1];
        this.plain = Kernels.strips(form.type(), form.op(), false);
        // Too large for elements, large enough for accumulators.
        long bytes = (long) COUNT * Long.BYTES;
        this.target = Arena.ofAuto().allocate(bytes, Long.BYTES);
        this.operands = new MemorySegment[operandCount];
        Arrays.setAll(operands, i -> Arena.ofAuto().allocate(bytes, Long.BYTES));
        this.partial = new boolean[operandCount];
        Arrays.fill(partial, form.others());
        partial[0] = form.first();
    }

    @Override
    public void onVectors() {
        VectorFold.run(loop, target.address(), addresses(), operands.length, COUNT, DIVISOR);
        Reference.reachabilityFence(this);
    }

    private long[] addresses() {
        long[] addresses = new long[operands.length];
        Arrays.setAll(addresses, i -> operands[i].address());
        return addresses;
    }

    @Override
    public void plainly() {
        if (form.target()) {
            plain.foldPartial(target, operands, partial, operands.length, COUNT);
        } else {
            plain.fold(target, operands, partial, operands.length, COUNT, DIVISOR);
        }
    }
}
