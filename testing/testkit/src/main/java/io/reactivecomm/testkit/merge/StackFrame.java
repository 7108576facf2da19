package io.reactivecomm.testkit.merge;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The locals and the stack before one instruction. */
final class StackFrame {

    private final @Nullable Value[] locals;
    private final List<Value> stack;

    StackFrame(int locals) {
        this(new Value[locals], new ArrayList<>());
    }

    private StackFrame(@Nullable Value[] locals, List<Value> stack) {
        this.locals = locals;
        this.stack = stack;
    }

    StackFrame copy() {
        return new StackFrame(locals.clone(), new ArrayList<>(stack));
    }

    /** {@return the frame of a handler: these locals, and the thrown object alone on the stack} */
    StackFrame thrown() {
        return new StackFrame(locals.clone(), new ArrayList<>(List.of(Value.ELSEWHERE)));
    }

    void push(Value value) {
        stack.add(value);
    }

    Value pop() {
        return stack.removeLast();
    }

    Value local(int slot) {
        return Objects.requireNonNullElse(locals[slot], Value.ELSEWHERE);
    }

    void local(int slot, Value value) {
        locals[slot] = value;
    }

    /** Adds what another path brings here. {@return whether that was news} */
    boolean join(StackFrame other) {
        boolean isNews = false;
        for (int i = 0; i < locals.length; i++) {
            Value joined = join(locals[i], other.locals[i]);
            isNews |= !Objects.equals(joined, locals[i]);
            locals[i] = joined;
        }
        for (int i = 0; i < stack.size(); i++) {
            Value joined = stack.get(i).join(other.stack.get(i));
            isNews |= !joined.equals(stack.get(i));
            stack.set(i, joined);
        }
        return isNews;
    }

    /** A local that one path has not set cannot be read behind the join. */
    private static @Nullable Value join(@Nullable Value one, @Nullable Value other) {
        return one == null || other == null ? null : one.join(other);
    }
}
