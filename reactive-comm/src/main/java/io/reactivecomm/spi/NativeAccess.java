package io.reactivecomm.spi;

import io.reactivecomm.internal.base.Causes;
import io.reactivecomm.internal.base.ErrorTexts;
import java.lang.foreign.MemorySegment;

/**
 * The permission of this JVM to call native functions and to name memory by its address. {@code --illegal-native-access=deny} withholds it from all
 * modules that {@code --enable-native-access} does not list.
 *
 * <p><b>Threads.</b> Any.
 */
public final class NativeAccess {

    private static final String REMEDY = "pass --enable-native-access=ALL-UNNAMED to the JVM";

    private NativeAccess() {}

    /** {@return whether this JVM denies native access to the library} */
    public static boolean isDenied() {
        try {
            return MemorySegment.NULL.reinterpret(1).byteSize() != 1;
        } catch (IllegalCallerException e) {
            return true;
        }
    }

    /**
     * {@return why a part that calls native functions cannot start: the first cause of a problem, and the JVM's option if native access is denied}
     *
     * <p>Of a class that cannot be initialized only the first user gets the cause by its type, so the permission itself is asked.
     */
    public static String reason(Throwable problem) {
        Throwable first = Causes.first(problem);
        boolean isDenied = first instanceof IllegalCallerException || isDenied();
        String text = ErrorTexts.describe(first);
        return isDenied ? "this JVM denies native access (" + text + "); " + REMEDY : text;
    }
}
