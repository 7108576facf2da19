package io.reactivecomm.testkit.faults;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.testkit.ObjectGraph;

/** The loop that serves a group, looked for among the objects that the group holds. */
final class LoopOfGroup {

    private static final ObjectGraph OURS =
            new ObjectGraph(field -> field.getDeclaringClass().getName().startsWith("io.reactivecomm"));

    private LoopOfGroup() {}

    static Loop find(ProcessGroup group) {
        return OURS.nearest(group, Loop.class::isInstance)
                .map(Loop.class::cast)
                .orElseThrow(() -> new IllegalStateException("a group without a loop: group=" + group));
    }
}
