package io.reactivecomm.internal.base;

import java.util.Collection;
import java.util.List;

/** The JVM's option that permits modules to call native functions and to name memory by its address. */
public final class NativeOption {

    /** The name of all code on the class path. */
    public static final String CLASS_PATH = "ALL-UNNAMED";

    private NativeOption() {}

    /** {@return the option for modules, by their names} */
    public static String of(Collection<String> modules) {
        return "--enable-native-access=" + String.join(",", modules);
    }

    /** {@return the option for the library's own module} */
    public static String ofLibrary() {
        return of(List.of(name(NativeOption.class.getModule())));
    }

    /** {@return the name of a module in the option} */
    public static String name(Module module) {
        return module.isNamed() ? module.getName() : CLASS_PATH;
    }
}
