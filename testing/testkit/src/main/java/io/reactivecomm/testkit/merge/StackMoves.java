package io.reactivecomm.testkit.merge;

import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;

/** The instructions that only move values on the stack. A wide value counts as two slots of it. */
final class StackMoves {

    private StackMoves() {}

    static void apply(Opcode move, StackFrame frame) {
        switch (move) {
            case POP -> take(frame, 1);
            case POP2 -> take(frame, 2);
            case DUP -> insert(frame, 1, 0);
            case DUP_X1 -> insert(frame, 1, 1);
            case DUP_X2 -> insert(frame, 1, 2);
            case DUP2 -> insert(frame, 2, 0);
            case DUP2_X1 -> insert(frame, 2, 1);
            case DUP2_X2 -> insert(frame, 2, 2);
            case SWAP -> {
                Value top = frame.pop();
                Value below = frame.pop();
                frame.push(top);
                frame.push(below);
            }
            default -> throw new IllegalStateException("not a move on the stack: " + move);
        }
    }

    /** {@return the values in so many slots on top, which are gone; the lowest first} */
    private static List<Value> take(StackFrame frame, int slots) {
        List<Value> taken = new ArrayList<>();
        for (int left = slots; left > 0; ) {
            Value value = frame.pop();
            taken.addFirst(value);
            left -= value.isWide() ? 2 : 1;
        }
        return taken;
    }

    private static void insert(StackFrame frame, int slots, int beneath) {
        List<Value> copied = take(frame, slots);
        List<Value> above = take(frame, beneath);
        copied.forEach(frame::push);
        above.forEach(frame::push);
        copied.forEach(frame::push);
    }
}
