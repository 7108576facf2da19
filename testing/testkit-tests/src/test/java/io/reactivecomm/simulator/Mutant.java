package io.reactivecomm.simulator;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A planted bug: a class of the library, wrong in one way. Production code has no hook for it; bytecode is changed when the class is loaded.
 *
 * @param bug what is wrong, in words
 * @param type the class it is in, by its binary name
 * @param methods what is changed, by the methods' names
 */
record Mutant(String bug, String type, Map<String, Mutation> methods) {

    Mutant(String bug, String type, String method, Mutation mutation) {
        this(bug, type, Map.of(method, mutation));
    }

    /** {@return the class with the bug in it} */
    byte[] planted(byte[] sound) {
        Set<String> planted = new HashSet<>();
        ClassFile file = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(Mutant.class.getClassLoader())));
        byte[] wrong = file.transformClass(file.parse(sound), (into, element) -> plant(into, element, planted));
        if (!planted.equals(methods.keySet())) {
            throw new IllegalArgumentException(
                    "a bug cannot be planted: type=" + type + ", methods=" + methods.keySet() + ", found=" + planted);
        }
        return wrong;
    }

    private void plant(ClassBuilder into, ClassElement element, Set<String> planted) {
        Mutation mutation = element instanceof MethodModel method
                ? methods.get(method.methodName().stringValue())
                : null;
        if (mutation == null
                || !(element instanceof MethodModel method)
                || method.code().isEmpty()) {
            into.with(element);
            return;
        }
        planted.add(method.methodName().stringValue());
        into.transformMethod(method, (methodInto, part) -> {
            if (part instanceof CodeModel code) {
                methodInto.withCode(writer -> mutation.write(code, method.methodTypeSymbol(), writer));
            } else {
                methodInto.with(part);
            }
        });
    }

    @Override
    public String toString() {
        return bug;
    }
}
