package io.reactivecomm.simulator;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Collections;
import java.util.List;

/** One way to make a method wrong. */
@FunctionalInterface
interface Mutation {

    /** Writes the wrong body. */
    void write(CodeModel sound, MethodTypeDesc type, CodeBuilder into);

    /** {@return a body that does nothing and returns 0, false or null} */
    static Mutation nothing() {
        return (sound, type, into) -> {
            zero(into, TypeKind.from(type.returnType()));
            into.return_(TypeKind.from(type.returnType()));
        };
    }

    /** {@return a body that does nothing and returns true} */
    static Mutation alwaysTrue() {
        return (sound, type, into) -> into.iconst_1().ireturn();
    }

    /** {@return a body that leaves everything to a static method, which takes {@code this} and the method's own parameters as objects} */
    static Mutation leftTo(Class<?> owner, String method) {
        return (sound, type, into) -> {
            int objects = 1 + type.parameterCount();
            for (int i = 0; i < objects; i++) {
                into.aload(i);
            }
            into.invokestatic(
                            owner.describeConstable().orElseThrow(),
                            method,
                            MethodTypeDesc.of(type.returnType(), Collections.nCopies(objects, ConstantDescs.CD_Object)))
                    .return_(TypeKind.from(type.returnType()));
        };
    }

    /** {@return the body without its calls of a method; a result that is missed is 0, false or null} */
    static Mutation without(String called) {
        return changed(called, (element, into) -> {
            InvokeInstruction call = (InvokeInstruction) element;
            List<ClassDesc> parameters = call.typeSymbol().parameterList();
            for (ClassDesc parameter : parameters.reversed()) {
                drop(into, TypeKind.from(parameter));
            }
            if (call.opcode() != Opcode.INVOKESTATIC) {
                into.pop();
            }
            zero(into, TypeKind.from(call.typeSymbol().returnType()));
        });
    }

    /** {@return the body with every piece that a method returns acknowledged at once, before its bytes are there} */
    static Mutation acknowledging(String called) {
        ClassDesc intake = ClassDesc.of("io.reactivecomm.internal.transfer.Intake");
        ClassDesc piece = intake.nested("Piece");
        return changed(
                called,
                (element, into) -> into.with(element)
                        .dup()
                        .dup()
                        .invokevirtual(piece, "intake", MethodTypeDesc.of(intake))
                        .swap()
                        .invokeinterface(intake, "arrived", MethodTypeDesc.of(ConstantDescs.CD_void, piece)));
    }

    /** {@return the body with calls of one method replaced by another of the same class and type} */
    static Mutation calling(String instead, String called) {
        return changed(called, (element, into) -> {
            InvokeInstruction call = (InvokeInstruction) element;
            into.invoke(call.opcode(), call.owner().asSymbol(), instead, call.typeSymbol(), call.isInterface());
        });
    }

    private static Mutation changed(String called, Change change) {
        return (sound, type, into) -> {
            int changes = 0;
            for (CodeElement element : sound) {
                if (element instanceof InvokeInstruction call && call.name().equalsString(called)) {
                    changes++;
                    change.write(element, into);
                } else {
                    into.with(element);
                }
            }
            require(changes > 0, "no call of " + called);
        };
    }

    /** {@return the body with its n-th condition negated, from 0} */
    static Mutation negated(int n) {
        return (sound, type, into) -> {
            int seen = 0;
            for (CodeElement element : sound) {
                boolean isCondition =
                        element instanceof BranchInstruction branch && opposite(branch.opcode()) != branch.opcode();
                if (isCondition && seen++ == n) {
                    BranchInstruction branch = (BranchInstruction) element;
                    into.branch(opposite(branch.opcode()), branch.target());
                } else {
                    into.with(element);
                }
            }
            require(seen > n, "too few conditions: " + seen);
        };
    }

    private static Opcode opposite(Opcode opcode) {
        return switch (opcode) {
            case IFEQ -> Opcode.IFNE;
            case IFNE -> Opcode.IFEQ;
            case IFLT -> Opcode.IFGE;
            case IFGE -> Opcode.IFLT;
            case IFGT -> Opcode.IFLE;
            case IFLE -> Opcode.IFGT;
            case IF_ICMPEQ -> Opcode.IF_ICMPNE;
            case IF_ICMPNE -> Opcode.IF_ICMPEQ;
            case IF_ICMPLT -> Opcode.IF_ICMPGE;
            case IF_ICMPGE -> Opcode.IF_ICMPLT;
            case IF_ICMPGT -> Opcode.IF_ICMPLE;
            case IF_ICMPLE -> Opcode.IF_ICMPGT;
            case IF_ACMPEQ -> Opcode.IF_ACMPNE;
            case IF_ACMPNE -> Opcode.IF_ACMPEQ;
            case IFNULL -> Opcode.IFNONNULL;
            case IFNONNULL -> Opcode.IFNULL;
            default -> opcode;
        };
    }

    private static void drop(CodeBuilder into, TypeKind kind) {
        if (kind.slotSize() == 2) {
            into.pop2();
        } else {
            into.pop();
        }
    }

    private static void zero(CodeBuilder into, TypeKind kind) {
        switch (kind) {
            case VOID -> {}
            case REFERENCE -> into.aconst_null();
            case LONG -> into.lconst_0();
            case DOUBLE -> into.dconst_0();
            case FLOAT -> into.fconst_0();
            case BOOLEAN, BYTE, CHAR, SHORT, INT -> into.iconst_0();
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("a bug cannot be planted: " + what);
        }
    }

    /** Writes something else in the place of an instruction. */
    interface Change {

        void write(CodeElement element, CodeBuilder into);
    }
}
