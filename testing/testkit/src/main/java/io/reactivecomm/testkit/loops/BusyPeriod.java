package io.reactivecomm.testkit.loops;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A time in which a loop did not come to its next task.
 *
 * @param loop the name of its thread
 * @param cpuNanos the CPU time that the thread used
 * @param stacks what it was seen to do, from time to time
 */
record BusyPeriod(String loop, long cpuNanos, List<StackTraceElement[]> stacks) {

    private static final int FRAMES = 28;

    double millis() {
        return cpuNanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    /** {@return the distinct stacks, each with how often it was seen} */
    String text() {
        Map<String, Long> counted = stacks.stream()
                .map(BusyPeriod::text)
                .collect(Collectors.groupingBy(text -> text, LinkedHashMap::new, Collectors.counting()));
        return counted.entrySet().stream()
                .map(each -> "\n  seen " + each.getValue() + " times:" + each.getKey())
                .collect(Collectors.joining());
    }

    private static String text(StackTraceElement[] stack) {
        return Arrays.stream(stack)
                .limit(FRAMES)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
    }
}
