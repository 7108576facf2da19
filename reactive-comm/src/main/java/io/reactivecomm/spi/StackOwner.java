package io.reactivecomm.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The owner of the work that a loop's stack shows: that of its innermost frame which is neither the JDK's nor of what loops are built on.
 */
enum StackOwner {
    /** A callback or an operator's function of the program. */
    PROGRAM,
    LIBRARY,
    /** The loop waits, or runs what belongs to neither. */
    NOBODY;

    private static final String OURS = "io.reactivecomm.";

    /** Programs, though they come with the library. */
    private static final String SAMPLES = "io.reactivecomm.samples.";

    private static final List<String> BENEATH = List.of(
            "java.", "javax.", "jdk.", "sun.", "com.sun.", "reactor.", "org.reactivestreams.", "io.netty.", "org.slf4j.", "ch.qos.logback.",
            "com.github.benmanes.caffeine.");

    /** {@return who is to be told} */
    static StackOwner of(StackTraceElement[] stack) {
        StackTraceElement frame = frameOf(stack);
        if (frame == null) {
            return NOBODY;
        }
        return isOurs(frame) ? LIBRARY : PROGRAM;
    }

    /** {@return what to do about it, with what is being done} */
    static String advice(StackTraceElement[] stack) {
        StackTraceElement frame = frameOf(stack);
        String doing = frame == null ? "" : frame.getClassName() + "." + frame.getMethodName();
        return switch (of(stack)) {
            case PROGRAM -> "the program runs there, in=" + doing + "; use publishOn before work that takes long or blocks";
            case LIBRARY -> "the library itself is at work, in=" + doing
                    + "; classes that are loaded and memory that is used for the first time take so long now and then: if it is told again, report it"
                    + " with this stack";
            case NOBODY -> "neither the program nor the library runs there; look at the machine's load and the JVM's pauses";
        };
    }

    private static @Nullable StackTraceElement frameOf(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (BENEATH.stream().noneMatch(frame.getClassName()::startsWith)) {
                // A loop that waits has nothing but its own waiting on its stack.
                return isOurs(frame) && isWaiting(frame) ? null : frame;
            }
        }
        return null;
    }

    private static boolean isOurs(StackTraceElement frame) {
        return frame.getClassName().startsWith(OURS) && !frame.getClassName().startsWith(SAMPLES);
    }

    private static boolean isWaiting(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.endsWith(".SpinThenPark") || name.endsWith(".LocalLoop") || name.endsWith(".LoopThread");
    }
}
