package io.reactivecomm.engine;

import java.lang.foreign.MemorySegment;

/** Copies within the rank; nothing to do where source and target are one. */
final class CopyRun extends Run {

    private final Stretch source;
    private final Stretch target;

    CopyRun(Call call, Stretch source, Stretch target) {
        super(call, target.count());
        this.source = source;
        this.target = target;
    }

    @Override
    void advance() {
        if (!isDone() && limit() == count) {
            for (long at = 0; at < count; ) {
                long here = target.together(at, source.together(at, count - at));
                copy(source.slice(at, here), target.slice(at, here));
                at += here;
            }
            progressTo(count);
        }
    }

    private static void copy(MemorySegment from, MemorySegment to) {
        if (from.address() != to.address()) {
            to.copyFrom(from);
        }
    }
}
