package io.reactivecomm.testkit.merge;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.DiscontinuedInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.NopInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/** The effects of one instruction on the locals and the stack, and the values that it uses. */
final class InstructionEffects {

    private final MethodFlow flow;
    private final StackFrame frame;
    private final int at;

    InstructionEffects(MethodFlow flow, StackFrame frame, int at) {
        this.flow = flow;
        this.frame = frame;
        this.at = at;
    }

    static Value valueOf(ClassDesc type) {
        return valueOf(TypeKind.from(type));
    }

    private static Value valueOf(TypeKind kind) {
        return kind.slotSize() == 2 ? Value.WIDE : Value.ELSEWHERE;
    }

    void apply(Instruction instruction) {
        switch (instruction) {
            case ArrayLoadInstruction load -> replace(2, valueOf(load.typeKind()));
            case ArrayStoreInstruction store -> store(2);
            case BranchInstruction branch -> use(operandsOf(branch.opcode()));
            case ConstantInstruction constant ->
                frame.push(constant.opcode() == Opcode.ACONST_NULL ? Value.NULL : valueOf(constant.typeKind()));
            case ConvertInstruction convert -> replace(1, valueOf(convert.toType()));
            case DiscontinuedInstruction old ->
                throw new IllegalStateException("an instruction that no compiler makes today: " + old);
            case FieldInstruction field -> apply(field);
            case IncrementInstruction _ -> {}
            case InvokeDynamicInstruction call ->
                call(call.typeSymbol(), 0, valueOf(call.typeSymbol().returnType()));
            case InvokeInstruction call -> apply(call);
            case LoadInstruction load -> frame.push(frame.local(load.slot()));
            case LookupSwitchInstruction _ -> use(1);
            case MonitorInstruction _ -> use(1);
            case NewMultiArrayInstruction array -> replace(array.dimensions(), Value.ELSEWHERE);
            case NewObjectInstruction made -> frame.push(made(made.className().asSymbol()));
            case NewPrimitiveArrayInstruction _ -> replace(1, Value.ELSEWHERE);
            case NewReferenceArrayInstruction _ -> replace(1, Value.ELSEWHERE);
            case NopInstruction _ -> {}
            case OperatorInstruction operator -> replace(operandsOf(operator), valueOf(operator.typeKind()));
            case ReturnInstruction end -> apply(end);
            case StackInstruction move -> StackMoves.apply(move.opcode(), frame);
            case StoreInstruction store -> frame.local(store.slot(), frame.pop());
            case TableSwitchInstruction _ -> use(1);
            case ThrowInstruction _ -> frame.pop();
            case TypeCheckInstruction check -> {
                if (check.opcode() == Opcode.INSTANCEOF) {
                    replace(1, Value.ELSEWHERE);
                }
            }
        }
    }

    /** Exceptions are left out: they are made to be thrown, and filling in their stack lets no compiler do without the object. */
    private Value made(ClassDesc type) {
        String name = type.displayName();
        boolean isThrown = name.endsWith("Exception") || name.endsWith("Error");
        return isThrown ? Value.ELSEWHERE : Value.fresh(new Origin.Fresh(at, flow.line(at), "new " + name));
    }

    private void use(int values) {
        for (int i = 0; i < values; i++) {
            flow.used(frame.pop(), MergedUse.Use.READ, at);
        }
    }

    private void replace(int values, Value result) {
        use(values);
        frame.push(result);
    }

    /** @param others how many values lie below the one that is stored: where to */
    private void store(int others) {
        flow.used(frame.pop(), MergedUse.Use.STORED, at);
        use(others);
    }

    private void apply(FieldInstruction field) {
        switch (field.opcode()) {
            case GETSTATIC -> frame.push(valueOf(field.typeSymbol()));
            case GETFIELD -> replace(1, valueOf(field.typeSymbol()));
            case PUTSTATIC -> store(0);
            case PUTFIELD -> store(1);
            default -> throw new IllegalStateException("not a field's instruction: " + field.opcode());
        }
    }

    private void apply(ReturnInstruction end) {
        if (end.typeKind() != TypeKind.VOID) {
            flow.used(frame.pop(), MergedUse.Use.RETURNED, at);
        }
    }

    private void apply(InvokeInstruction call) {
        ClassDesc type = call.typeSymbol().returnType();
        Value result = type.isPrimitive() ? valueOf(type) : flow.results().of(call, at, flow.line(at));
        call(call.typeSymbol(), call.opcode() == Opcode.INVOKESTATIC ? 0 : 1, result);
    }

    private void call(MethodTypeDesc type, int receivers, Value result) {
        use(type.parameterCount() + receivers);
        if (TypeKind.from(type.returnType()) != TypeKind.VOID) {
            frame.push(result);
        }
    }

    private static int operandsOf(Opcode branch) {
        return switch (branch) {
            case GOTO, GOTO_W -> 0;
            case IF_ACMPEQ, IF_ACMPNE, IF_ICMPEQ, IF_ICMPNE, IF_ICMPLT, IF_ICMPGE, IF_ICMPGT, IF_ICMPLE -> 2;
            default -> 1;
        };
    }

    private static int operandsOf(OperatorInstruction operator) {
        return switch (operator.opcode()) {
            case ARRAYLENGTH, INEG, LNEG, FNEG, DNEG -> 1;
            default -> 2;
        };
    }
}
