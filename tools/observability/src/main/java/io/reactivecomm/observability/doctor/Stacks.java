package io.reactivecomm.observability.doctor;

import io.reactivecomm.internal.base.StackOwner;
import io.reactivecomm.recorder.ThreadRecord;
import java.util.List;

/** The stacks of dumps, as far as they tell whose code runs. */
final class Stacks {

    private static final String LOCK = "- holds ";
    private static final int TOLD_FRAMES = 3;

    private Stacks() {}

    /** {@return the innermost frame of the program's own code; empty if it is not on the stack} */
    static String programFrame(List<String> stack) {
        return stack.stream().filter(Stacks::isProgram).findFirst().orElse("");
    }

    /** {@return whether the innermost code is the program's, and not what it has called} */
    static boolean isProgramAtWork(List<String> stack) {
        return StackOwner.of(
                        stack.stream().filter(frame -> !frame.startsWith(LOCK)).toList())
                == StackOwner.PROGRAM;
    }

    private static boolean isProgram(String frame) {
        return !frame.startsWith(LOCK) && StackOwner.isProgram(frame);
    }

    /** {@return what a stack shows, in a few frames: from the program's own on, if it has any} */
    static String shown(List<String> stack) {
        List<String> frames =
                stack.stream().filter(frame -> !frame.startsWith(LOCK)).toList();
        int from = Math.max(0, frames.indexOf(programFrame(stack)));
        String first = from > 0 ? frames.getFirst() + " < … < " : "";
        return first + String.join(" < ", frames.subList(from, Math.min(frames.size(), from + TOLD_FRAMES)));
    }

    static String doing(ThreadRecord thread) {
        String lock = thread.lock().isEmpty() ? "" : " on " + thread.lock();
        String owner = thread.lockOwner().isEmpty() ? "" : ", which thread " + thread.lockOwner() + " holds";
        return "its thread " + thread.name() + " is " + thread.state() + lock + owner + ", in " + shown(thread.stack());
    }
}
