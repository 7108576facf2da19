package io.reactivecomm.testkit.merge;

import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The flow of values through one method, followed until no path brings anything new. */
final class MethodFlow {

    private final String name;
    private final Results results;
    private final MethodElements elements;
    private final @Nullable StackFrame[] before;
    private final ArrayDeque<Integer> pending = new ArrayDeque<>();
    /** By what meets: one finding for each use of a merge, however often it is used so. */
    private final Map<Set<Origin>, Map<MergedUse.Use, MergedUse>> findings = new LinkedHashMap<>();

    private boolean isSettled;
    private @Nullable Value returned;

    MethodFlow(String name, MethodModel method, CodeModel code, Results results) {
        this.name = name;
        this.results = results;
        this.elements = new MethodElements(code);
        this.before = new StackFrame[elements.size() + 1];
        before[0] = entry(method, ((CodeAttribute) code).maxLocals());
        pending.add(0);
        while (!pending.isEmpty()) {
            step(pending.remove());
        }
        settle();
    }

    private static StackFrame entry(MethodModel method, int locals) {
        StackFrame frame = new StackFrame(locals);
        int slot = 0;
        if (!method.flags().has(AccessFlag.STATIC)) {
            frame.local(slot++, Value.ELSEWHERE);
        }
        for (ClassDesc parameter : method.methodTypeSymbol().parameterList()) {
            Value value = InstructionEffects.valueOf(parameter);
            frame.local(slot, value);
            slot += value.isWide() ? 2 : 1;
        }
        return frame;
    }

    private void step(int at) {
        StackFrame frame = Objects.requireNonNull(before[at]).copy();
        throwFrom(at, frame);
        if (elements.at(at) instanceof Instruction instruction) {
            new InstructionEffects(this, frame, at).apply(instruction);
            throwFrom(at, frame);
        }
        elements.after(at).forEach(target -> arrive(target, frame));
    }

    private void throwFrom(int at, StackFrame frame) {
        elements.handlersOf(at).forEach(handler -> arrive(handler, frame.thrown()));
    }

    private void arrive(int at, StackFrame frame) {
        StackFrame there = before[at];
        if (there == null) {
            before[at] = frame.copy();
            pending.add(at);
        } else if (there.join(frame)) {
            pending.add(at);
        }
    }

    /** Uses are looked at now that all is known: before, a value has only some of its origins. */
    private void settle() {
        isSettled = true;
        for (int at = 0; at < elements.size(); at++) {
            StackFrame frame = before[at];
            if (frame != null && elements.at(at) instanceof Instruction instruction) {
                new InstructionEffects(this, frame.copy(), at).apply(instruction);
            }
        }
    }

    void used(Value value, MergedUse.Use use, int at) {
        if (!isSettled) {
            return;
        }
        if (use == MergedUse.Use.RETURNED) {
            returned = returned == null ? value : returned.join(value);
        }
        if (value.isMerged()) {
            findings.computeIfAbsent(value.origins(), origins -> new LinkedHashMap<>())
                    .putIfAbsent(use, new MergedUse(name, elements.line(at), use, value.origins()));
        }
    }

    int line(int at) {
        return elements.line(at);
    }

    Results results() {
        return results;
    }

    /** {@return what the method may return, or null if it returns nothing} */
    @Nullable Value returned() {
        return returned;
    }

    /** {@return the merges that are read and that nothing stores} */
    List<MergedUse> findings() {
        return findings.values().stream()
                .filter(uses -> !uses.containsKey(MergedUse.Use.STORED))
                .flatMap(uses -> uses.values().stream())
                .filter(finding -> finding.use() == MergedUse.Use.READ)
                .toList();
    }
}
