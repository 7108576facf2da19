package io.reactivecomm.internal.memory;

import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLeaks;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The place of an allocation: the frames of the stack from who asked for the tensor on. */
public final class AllocationPlace {

    /** Enough to tell who called what allocates for many. */
    private static final int FRAMES = 6;

    private static final StackWalker STACK = StackWalker.getInstance(Set.of(), 2 * FRAMES);

    /** This package's own, which ask for nobody but their callers. */
    private static final Set<String> OWN = Set.of(
            AllocationPlace.class.getName(),
            TensorLeaks.class.getName(),
            LeakWatch.class.getName(),
            NativeMemory.class.getName(),
            HostTensor.class.getName(),
            Tensor.class.getName());

    private static final String LIBRARY = Tensor.class.getPackageName() + ".";
    private static final String ALLOCATE = "allocate";

    private AllocationPlace() {}

    /** {@return this thread's frames, the innermost first, without those whose business it is to allocate} */
    static List<StackWalker.StackFrame> here() {
        return STACK.walk(frames ->
                frames.dropWhile(AllocationPlace::onlyAllocates).limit(FRAMES).toList());
    }

    /** {@code group.allocate(...)} and what stands before it do so for their callers. */
    private static boolean onlyAllocates(StackWalker.StackFrame frame) {
        return OWN.contains(frame.getClassName())
                || (frame.getMethodName().equals(ALLOCATE)
                        && frame.getClassName().startsWith(LIBRARY));
    }

    /** {@return the frames on one line} */
    static String text(List<StackWalker.StackFrame> frames) {
        return frames.stream()
                .map(frame -> frame.toStackTraceElement().toString())
                .collect(Collectors.joining(" < "));
    }
}
