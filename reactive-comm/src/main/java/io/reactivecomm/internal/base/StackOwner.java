package io.reactivecomm.internal.base;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The owner of the code that a stack shows. It is decided by the innermost frame that belongs neither to the JDK nor to a common library. A stack contains
 * only the names of classes, so packages decide; an unknown package is the program's.
 *
 * <p>Frames have the form {@code class.method}, with or without a file and line.
 */
public enum StackOwner {
    /** A callback or an operator's function of the program. */
    PROGRAM,
    LIBRARY,
    /** The thread waits, or runs code that belongs to neither. */
    NOBODY;

    private static final String OURS = "io.reactivecomm.";

    /** These count as programs, although they come with the library. */
    private static final List<String> PROGRAMS = List.of("io.reactivecomm.samples.", "io.reactivecomm.rcomm.");

    /** The JDK, the libraries that this one uses, and common frameworks of programs. */
    private static final List<String> BENEATH = List.of(
            "java.",
            "javax.",
            "jakarta.",
            "jdk.",
            "sun.",
            "com.sun.",
            "reactor.",
            "org.reactivestreams.",
            "io.netty.",
            "com.github.benmanes.caffeine.",
            "tools.jackson.",
            "com.fasterxml.",
            "jcuda.",
            "org.slf4j.",
            "ch.qos.logback.",
            "org.apache.logging.",
            "org.apache.log4j.",
            "org.apache.commons.logging.",
            "io.micrometer.",
            "org.HdrHistogram.",
            "org.LatencyUtils.",
            "io.prometheus.",
            "io.opentelemetry.",
            "kotlin.",
            "kotlinx.",
            "scala.",
            "clojure.",
            "groovy.lang.",
            "com.google.common.",
            "org.springframework.",
            "org.apache.spark.",
            "org.apache.catalina.",
            "org.apache.tomcat.",
            "org.apache.coyote.",
            "org.junit.",
            "org.apache.maven.",
            "org.gradle.",
            "worker.org.gradle.",
            "com.intellij.rt.");

    /** The JDK's code that finds, defines and links classes. */
    private static final List<String> LOADING = List.of(
            "jdk.internal.loader.",
            "java.lang.ClassLoader.",
            "java.net.URLClassLoader.",
            "java.lang.invoke.MethodHandleNatives.",
            "java.lang.invoke.InnerClassLambdaMetafactory.",
            "java.util.ServiceLoader");

    /** The frames at the top of a stack that are shown before those of the owner. */
    private static final int INNERMOST = 3;

    /** {@return the owner of a stack} */
    public static StackOwner of(StackTraceElement[] stack) {
        return of(frames(stack));
    }

    /** {@return the owner of frames, which begin with the innermost one} */
    public static StackOwner of(List<String> frames) {
        String frame = frameOf(frames);
        return frame == null ? NOBODY : isOurs(frame) ? LIBRARY : PROGRAM;
    }

    /** {@return advice for a user, with the method that runs} */
    public static String advice(StackTraceElement[] stack) {
        String frame = frameOf(frames(stack));
        String doing = frame == null ? "" : frame.substring(0, frame.indexOf('('));
        return switch (of(stack)) {
            case PROGRAM ->
                "the program runs there, in=" + doing + "; use publishOn before work that takes long or blocks";
            case LIBRARY ->
                "the library itself is at work, in=" + doing
                        + "; the first use of memory, or a busy machine, can take so long: if it happens again on an idle machine, report it";
            case NOBODY ->
                "neither the program nor the library runs there; look at the machine's load and the JVM's pauses";
        };
    }

    /** {@return whether a frame belongs to the program's own code} */
    public static boolean isProgram(String frame) {
        return !isOurs(frame) && isNotBeneath(frame);
    }

    /** {@return whether the owner's code loads or links classes, which is slow on a busy machine} */
    public static boolean isLoading(StackTraceElement[] stack) {
        List<String> frames = frames(stack);
        String owner = frameOf(frames);
        return frames.stream()
                .takeWhile(frame -> !frame.equals(owner))
                .anyMatch(frame -> LOADING.stream().anyMatch(frame::startsWith));
    }

    /** {@return the innermost frames and those from the owner's frame on, in at most {@code most} lines} */
    public static List<String> shown(StackTraceElement[] stack, int most) {
        List<String> frames = frames(stack);
        int owner = Math.max(0, frames.indexOf(frameOf(frames)));
        if (frames.size() <= most) {
            return frames;
        }
        int from = owner < most - 1 ? 0 : Math.max(INNERMOST, owner);
        List<String> shown = new ArrayList<>();
        if (from > 0) {
            shown.addAll(frames.subList(0, Math.min(INNERMOST, most - 3)));
            shown.add("… " + (from - shown.size()) + " more");
        }
        int room = most - shown.size();
        int to = frames.size() - from <= room ? frames.size() : from + room - 1;
        shown.addAll(frames.subList(from, to));
        if (to < frames.size()) {
            shown.add("… " + (frames.size() - to) + " more");
        }
        return shown;
    }

    /** {@return the frames of a stack, as dumps have them} */
    public static List<String> frames(StackTraceElement[] stack) {
        return Arrays.stream(stack).map(StackOwner::frame).toList();
    }

    /** {@return a frame without its class loader and module, which are the same nearly everywhere} */
    public static String frame(StackTraceElement element) {
        String where = element.isNativeMethod() ? "native" : element.getFileName() + ":" + element.getLineNumber();
        return element.getClassName() + "." + element.getMethodName() + "(" + where + ")";
    }

    private static @Nullable String frameOf(List<String> frames) {
        String frame =
                frames.stream().filter(StackOwner::isNotBeneath).findFirst().orElse(null);
        // The stack of a waiting loop contains only the code that waits.
        return frame != null && isOurs(frame) && isWaiting(frame) ? null : frame;
    }

    private static boolean isNotBeneath(String frame) {
        return BENEATH.stream().noneMatch(frame::startsWith);
    }

    private static boolean isOurs(String frame) {
        return frame.startsWith(OURS) && PROGRAMS.stream().noneMatch(frame::startsWith);
    }

    private static boolean isWaiting(String frame) {
        return frame.contains(".LoopWaiting.") || frame.contains(".LocalLoop.") || frame.contains(".LoopThread.");
    }
}
