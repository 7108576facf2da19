package io.reactivecomm.internal.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** One rank's memories in a call, whose elements say what they hold; input and output may share some. */
final class SymbolicMemory {

    private final int[] inputAt;
    private final int[] outputAt;
    private final Value[] tensors;
    private final Value[] scratch;

    /**
     * The content of an element.
     *
     * @param index which element of the ranks' contributions
     * @param ranks whose contributions were folded, in the order of the fold
     * @param finished whether it was rounded, so that it can be folded no more
     */
    record Value(long index, List<Integer> ranks, boolean finished) {

        static Value folded(List<Value> operands, boolean finish) {
            List<Integer> ranks = new ArrayList<>();
            long index = operands.getFirst().index;
            for (Value operand : operands) {
                if (operand.finished || operand.index != index) {
                    throw new AssertionError("operands that do not go together: " + operands);
                }
                ranks.addAll(operand.ranks);
            }
            return new Value(index, List.copyOf(ranks), finish);
        }
    }

    /**
     * The memories before the call.
     *
     * @param inputAt where each element of the input lives
     * @param outputAt where each element of the output lives, which may be where one of the input does
     */
    SymbolicMemory(int rank, int[] inputAt, int[] outputAt, int scratchCount) {
        this.inputAt = inputAt;
        this.outputAt = outputAt;
        this.tensors = new Value
                [1
                        + IntStream.concat(IntStream.of(inputAt), IntStream.of(outputAt))
                                .max()
                                .orElse(0)];
        this.scratch = new Value[scratchCount];
        for (int i = 0; i < inputAt.length; i++) {
            tensors[inputAt[i]] = new Value(i, List.of(rank), false);
        }
    }

    Value read(Span span, long element) {
        Value value = array(span)[place(span, element)];
        if (value == null) {
            throw new AssertionError("read before it was written: " + span + ", element=" + element);
        }
        return value;
    }

    void write(Span span, long element, Value value) {
        if (span.buffer() == Buffer.INPUT) {
            throw new AssertionError("an input is written: " + span);
        }
        array(span)[place(span, element)] = value;
    }

    /** {@return what element {@code index} of the output holds, or null if nothing was ever there} */
    Value output(long index) {
        return tensors[outputAt[(int) index]];
    }

    /** {@return what element {@code index} of the input holds} */
    Value input(long index) {
        return tensors[inputAt[(int) index]];
    }

    /** {@return where an element lives, comparable between spans that {@link #share} a memory} */
    int place(Span span, long element) {
        if (element >= span.count()) {
            throw new AssertionError("outside its span: " + span + ", element=" + element);
        }
        int index = (int) (span.from() + element);
        return switch (span.buffer()) {
            case INPUT -> inputAt[index];
            case OUTPUT -> outputAt[index];
            case SCRATCH -> index;
        };
    }

    /** {@return whether two spans are in one memory} */
    boolean share(Span one, Span two) {
        return (one.buffer() == Buffer.SCRATCH) == (two.buffer() == Buffer.SCRATCH);
    }

    /** {@return whether two spans of one memory begin at the same element} */
    boolean isSamePlace(Span one, Span two) {
        return one.count() > 0 && two.count() > 0 && place(one, 0) == place(two, 0);
    }

    private Value[] array(Span span) {
        return span.buffer() == Buffer.SCRATCH ? scratch : tensors;
    }
}
