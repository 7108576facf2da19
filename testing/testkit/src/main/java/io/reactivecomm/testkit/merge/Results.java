package io.reactivecomm.testkit.merge;

import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The results of methods, as far as a caller may see into them. They are those that nobody overrides and whose result's class is final, so
 * that whoever uses it need not look what it is.
 */
final class Results {

    private final Set<String> finalTypes = new HashSet<>();
    private Map<String, Value> known = new HashMap<>();
    private Map<String, Value> next = new HashMap<>();

    Results(Iterable<ClassModel> classes) {
        for (ClassModel each : classes) {
            if (each.flags().has(AccessFlag.FINAL)) {
                finalTypes.add(each.thisClass().asSymbol().descriptorString());
            }
        }
    }

    /** {@return what a call pushes} */
    Value of(InvokeInstruction call, int at, int line) {
        Value result = known.get(key(call.owner().asSymbol(), call.name().stringValue(), call.typeSymbol()));
        if (result == null || !result.isFresh()) {
            return Value.ELSEWHERE;
        }
        String what = "the result of " + call.owner().asSymbol().displayName() + "."
                + call.name().stringValue();
        Value fresh = Value.fresh(new Origin.Fresh(at, line, what));
        return result.isMerged() ? fresh.join(Value.ELSEWHERE) : fresh;
    }

    void returned(ClassModel owner, MethodModel method, Value value) {
        boolean isSole = owner.flags().has(AccessFlag.FINAL)
                || method.flags().has(AccessFlag.FINAL)
                || method.flags().has(AccessFlag.STATIC)
                || method.flags().has(AccessFlag.PRIVATE);
        if (isSole && finalTypes.contains(method.methodTypeSymbol().returnType().descriptorString())) {
            next.put(
                    key(owner.thisClass().asSymbol(), method.methodName().stringValue(), method.methodTypeSymbol()),
                    value);
        }
    }

    /** A round over all methods is over. {@return whether it brought anything new, so that another is needed} */
    boolean turn() {
        boolean isNews = !next.equals(known);
        known = next;
        next = new HashMap<>();
        return isNews;
    }

    private static String key(ClassDesc owner, String name, MethodTypeDesc type) {
        return owner.descriptorString() + name + type.descriptorString();
    }
}
