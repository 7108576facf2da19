package io.reactivecomm.engine;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.kernel.FoldKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Folds local and remote operands, piece by piece, in the order of the schedule.
 *
 * <p>A piece is begun once every remote operand has announced it: then all its memories are reserved at once and all its grants are
 * wished for, so that nothing is held while waiting for a rank that may never come. Pieces are folded in order.
 */
final class FoldRun extends Run {

    /** Pieces are not cut below this for the sake of many ranks: 16 KiB still cost less than a frame. */
    private static final int LEAST_PIECE_BYTES = 16 << 10;

    private final MemorySegment target;
    private final int targetElementBytes;
    private final boolean finish;
    private final FoldKernel kernel;
    private final Staging staging;
    private final MemorySegment[] operands;
    private final boolean[] partial;
    private final List<FoldInput> inputs = new ArrayList<>();
    private final ArrayDeque<Stage> stages = new ArrayDeque<>();
    private int widestBytes;
    private long begun;
    private boolean waitsForMemory;
    private boolean broken;

    FoldRun(Call call, MemorySegment target, int targetElementBytes, long count, int operandCount, boolean finish, Tools tools) {
        super(call, count);
        this.target = target;
        this.targetElementBytes = targetElementBytes;
        this.finish = finish;
        this.kernel = tools.kernel();
        this.staging = tools.staging();
        this.operands = new MemorySegment[operandCount];
        this.partial = new boolean[operandCount];
        this.widestBytes = targetElementBytes;
    }

    /** What a fold works with. */
    record Tools(FoldKernel kernel, Staging staging) {}

    void local(int operand, MemorySegment memory, boolean isPartial) {
        operands[operand] = memory;
        partial[operand] = isPartial;
    }

    FoldInput remote(int operand, Partner partner, int edge, int elementBytes, boolean isPartial) {
        FoldInput input = new FoldInput(this, operand, partner, edge, elementBytes);
        inputs.add(input);
        widestBytes = Math.max(widestBytes, elementBytes);
        partial[operand] = isPartial;
        return input;
    }

    @Override
    void advance() {
        waitsForMemory = false;
        if (!call.isRunning()) {
            return;
        }
        if (count == 0) {
            finishEmpty();
            return;
        }
        while (!isDone() && !broken && begun < count && stages.size() < call.limits().foldDepth() && !waitsForMemory) {
            long ready = ready();
            if (ready <= begun) {
                return;
            }
            begin((int) Math.min(pieceElements(), ready - begun));
        }
    }

    private void finishEmpty() {
        if (!isDone() && ready() == 0) {
            progressTo(0);
        }
    }

    /** {@return up to where all operands are ready and other steps let this one go} */
    private long ready() {
        long ready = limit();
        for (FoldInput input : inputs) {
            ready = Math.min(ready, input.ready());
        }
        return ready;
    }

    private long pieceElements() {
        long share = call.limits().stagingBytes() / (4L * Math.max(1, inputs.size()));
        long bytes = Math.min(call.limits().pieceBytes(), Math.max(LEAST_PIECE_BYTES, share));
        return Math.max(1, bytes / widestBytes);
    }

    private void begin(int elements) {
        int granted = 0;
        for (FoldInput input : inputs) {
            granted += input.eager() == null ? 1 : 0;
        }
        MemorySegment @Nullable [] memories = staging.reserve(granted, (long) elements * widestBytes, this);
        if (memories == null) {
            waitsForMemory = true;
            return;
        }
        Stage stage = new Stage(begun, elements, memories, operands.clone());
        stage.missing = granted;
        begun += elements;
        stages.add(stage);
        place(stage);
        foldWhatIsHere();
    }

    private void place(Stage stage) {
        int next = 0;
        for (int i = 0; i < operands.length; i++) {
            if (operands[i] != null) {
                int width = partial[i] ? call.partialBytes() : call.elementBytes();
                stage.operands[i] = operands[i].asSlice(stage.from * width, (long) stage.count * width);
            }
        }
        for (FoldInput input : inputs) {
            byte[] eager = input.eager();
            if (eager != null) {
                stage.operands[input.operand()] =
                        MemorySegment.ofArray(eager).asSlice(stage.from * input.elementBytes(), (long) stage.count * input.elementBytes());
            } else {
                stage.operands[input.operand()] = stage.memories[next++];
                input.wish(stage);
            }
        }
    }

    /** One operand of the piece that begins at that element is here. */
    void arrived(long from) {
        for (Stage stage : stages) {
            if (stage.from == from) {
                stage.missing--;
                break;
            }
        }
        foldWhatIsHere();
        advance();
        call.check();
    }

    private void foldWhatIsHere() {
        while (!broken && !stages.isEmpty() && stages.element().missing == 0) {
            Stage stage = stages.remove();
            broken = !folds(stage);
            if (!broken) {
                progressTo(stage.from + stage.count);
            }
            staging.release(stage.memories);
        }
    }

    /** {@return whether the piece was folded, which only a caller's own operator can spoil} */
    private boolean folds(Stage stage) {
        try {
            fold(stage);
            return true;
        } catch (InvalidCallException e) {
            call.spoil(e);
            return false;
        }
    }

    private void fold(Stage stage) {
        MemorySegment out = target.asSlice(stage.from * targetElementBytes, (long) stage.count * targetElementBytes);
        if (finish) {
            kernel.fold(out, stage.operands, partial, partial.length, stage.count, call.groupSize());
        } else {
            kernel.foldPartial(out, stage.operands, partial, partial.length, stage.count);
        }
    }

    /** Gives back the memory of pieces that will not be folded; the links no longer write into it. */
    void abandon() {
        while (!stages.isEmpty()) {
            staging.release(stages.remove().memories);
        }
    }

    /** A piece that is being gathered. */
    static final class Stage {

        private final long from;
        private final int count;
        private final MemorySegment[] memories;
        private final MemorySegment[] operands;
        private int missing;

        private Stage(long from, int count, MemorySegment[] memories, MemorySegment[] operands) {
            this.from = from;
            this.count = count;
            this.memories = memories;
            this.operands = operands;
        }

        long from() {
            return from;
        }

        int count() {
            return count;
        }

        MemorySegment operand(int index) {
            return operands[index];
        }
    }
}
