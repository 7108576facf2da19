package io.reactivecomm.engine;

import java.lang.foreign.MemorySegment;

/** Copies within the rank; nothing to do where source and target are one. */
final class CopyRun extends Run {

    private final MemorySegment source;
    private final MemorySegment target;

    CopyRun(Call call, MemorySegment source, MemorySegment target, long count) {
        super(call, count);
        this.source = source;
        this.target = target;
    }

    @Override
    void advance() {
        if (!isDone() && limit() == count) {
            if (source.address() != target.address()) {
                target.copyFrom(source);
            }
            progressTo(count);
        }
    }
}
