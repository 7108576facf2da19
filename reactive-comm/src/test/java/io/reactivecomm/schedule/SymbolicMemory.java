package io.reactivecomm.schedule;

import java.util.ArrayList;
import java.util.List;

/** One rank's memories in a call, whose elements say what they hold; input and output may be one. */
final class SymbolicMemory {

    private final Value[] input;
    private final Value[] output;
    private final Value[] scratch;
    private final boolean inPlace;
    private final int inputFrom;
    private final int outputFrom;

    /**
     * What an element holds.
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
     * @param inPlace whether element {@code inputFrom} of the output's memory is the input's first, or the other way round
     */
    SymbolicMemory(int rank, long inputCount, long outputCount, long scratchCount, boolean inPlace, long partFrom) {
        this.inPlace = inPlace;
        this.inputFrom = inPlace && inputCount < outputCount ? (int) partFrom : 0;
        this.outputFrom = inPlace && outputCount < inputCount ? (int) partFrom : 0;
        Value[] larger = new Value[(int) Math.max(inputCount, outputCount)];
        this.input = inPlace ? larger : new Value[(int) inputCount];
        this.output = inPlace ? larger : new Value[(int) outputCount];
        this.scratch = new Value[(int) scratchCount];
        for (int i = 0; i < inputCount; i++) {
            input[inputFrom + i] = new Value(i, List.of(rank), false);
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
        return output[outputFrom + (int) index];
    }

    /** {@return what element {@code index} of the input holds} */
    Value input(long index) {
        return input[inputFrom + (int) index];
    }

    /** {@return where an element lives, comparable between spans of one rank's input and output when they are one memory} */
    int place(Span span, long element) {
        if (element >= span.count()) {
            throw new AssertionError("outside its span: " + span + ", element=" + element);
        }
        return (int) (span.from() + element) + switch (span.buffer()) {
            case INPUT -> inputFrom;
            case OUTPUT -> outputFrom;
            case SCRATCH -> 0;
        };
    }

    /** {@return whether two spans are in one memory} */
    boolean share(Span one, Span two) {
        boolean bothTensors = one.buffer() != Buffer.SCRATCH && two.buffer() != Buffer.SCRATCH;
        return one.buffer() == two.buffer() || (inPlace && bothTensors);
    }

    /** {@return whether two spans of one memory begin at the same element} */
    boolean isSamePlace(Span one, Span two) {
        return one.count() > 0 && two.count() > 0 && place(one, 0) == place(two, 0);
    }

    private Value[] array(Span span) {
        return switch (span.buffer()) {
            case INPUT -> input;
            case OUTPUT -> output;
            case SCRATCH -> scratch;
        };
    }
}
