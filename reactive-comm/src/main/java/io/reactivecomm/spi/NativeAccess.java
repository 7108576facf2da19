package io.reactivecomm.spi;

import io.reactivecomm.internal.base.Causes;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.NativeOption;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The permission of this JVM to call native functions and to name memory by its address. {@code --illegal-native-access=deny} withholds it from all
 * modules that {@code --enable-native-access} does not list.
 *
 * <p><b>Threads.</b> Any.
 */
public final class NativeAccess {

    /** The module of the JDK that checks the permission. */
    private static final String JDK = "java.base";

    private NativeAccess() {}

    /** {@return whether this JVM denies native access to the library's own module} */
    public static boolean isDenied() {
        try {
            return MemorySegment.NULL.reinterpret(1).byteSize() != 1;
        } catch (IllegalCallerException e) {
            return true;
        }
    }

    /**
     * {@return why a part that calls native functions cannot start: the first cause of a problem, and the JVM's option if native access is denied}
     * The option names the modules that lack the permission: the library's, and the one whose call was denied, as the error's stack shows it.
     *
     * <p>If a class cannot be initialized, only its first user receives the cause by its type. So this method also checks the library's own permission.
     */
    public static String reason(Throwable problem) {
        Throwable first = Causes.first(problem);
        String text = ErrorTexts.describe(first);
        Set<String> modules = first instanceof IllegalCallerException || isDenied() ? lacking(first) : Set.of();
        return modules.isEmpty()
                ? text
                : "this JVM denies native access (" + text + "); pass " + NativeOption.of(modules) + " to the JVM";
    }

    private static Set<String> lacking(Throwable denied) {
        Set<String> modules = new TreeSet<>();
        Module own = NativeAccess.class.getModule();
        if (!own.isNativeAccessEnabled()) {
            modules.add(NativeOption.name(own));
        }
        Arrays.stream(denied.getStackTrace())
                .map(frame -> Objects.requireNonNullElse(frame.getModuleName(), NativeOption.CLASS_PATH))
                .filter(name -> !name.equals(JDK))
                .findFirst()
                .filter(NativeAccess::lacks)
                .ifPresent(modules::add);
        return modules;
    }

    private static boolean lacks(String module) {
        return (module.equals(NativeOption.CLASS_PATH)
                        ? Optional.of(ClassLoader.getSystemClassLoader().getUnnamedModule())
                        : ModuleLayer.boot().findModule(module))
                .map(found -> !found.isNativeAccessEnabled())
                .orElse(true);
    }
}
