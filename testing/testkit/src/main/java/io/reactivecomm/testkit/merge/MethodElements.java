package io.reactivecomm.testkit.merge;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The instructions of one method and what stands between them, by their places, and where each may go on. */
final class MethodElements {

    private final List<CodeElement> all;
    private final List<ExceptionCatch> handlers;
    private final int[] lines;
    private final Map<Label, Integer> places = new HashMap<>();

    MethodElements(CodeModel code) {
        this.all = code.elementList();
        this.handlers = code.exceptionHandlers();
        this.lines = new int[all.size()];
        int line = 0;
        for (int i = 0; i < lines.length; i++) {
            if (all.get(i) instanceof LabelTarget target) {
                places.put(target.label(), i);
            } else if (all.get(i) instanceof LineNumber number) {
                line = number.line();
            }
            lines[i] = line;
        }
    }

    int size() {
        return all.size();
    }

    CodeElement at(int place) {
        return all.get(place);
    }

    int line(int place) {
        return lines[place];
    }

    /** {@return the places of the handlers that an exception thrown there may reach} */
    List<Integer> handlersOf(int place) {
        List<Integer> found = new ArrayList<>();
        for (ExceptionCatch handler : handlers) {
            if (placeOf(handler.tryStart()) <= place && place < placeOf(handler.tryEnd())) {
                found.add(placeOf(handler.handler()));
            }
        }
        return found;
    }

    /** {@return the places that may be next, exceptions aside} */
    List<Integer> after(int place) {
        return switch (all.get(place)) {
            case ReturnInstruction _ -> List.of();
            case ThrowInstruction _ -> List.of();
            case BranchInstruction branch
            when branch.opcode() == Opcode.GOTO || branch.opcode() == Opcode.GOTO_W ->
                List.of(placeOf(branch.target()));
            case BranchInstruction branch -> List.of(placeOf(branch.target()), place + 1);
            case TableSwitchInstruction choice -> targets(choice.defaultTarget(), choice.cases());
            case LookupSwitchInstruction choice -> targets(choice.defaultTarget(), choice.cases());
            default -> List.of(place + 1);
        };
    }

    private List<Integer> targets(Label otherwise, List<SwitchCase> cases) {
        return Stream.concat(Stream.of(otherwise), cases.stream().map(SwitchCase::target))
                .map(this::placeOf)
                .toList();
    }

    private int placeOf(Label label) {
        return Objects.requireNonNull(places.get(label));
    }
}
