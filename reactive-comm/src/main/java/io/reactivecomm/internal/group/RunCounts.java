package io.reactivecomm.internal.group;

import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.spi.CallKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The tickets of calls in one run of a composite call, by name. Nobody asks which of them were subscribed to: of a call inside a peer is told whether
 * the outermost composite call around it was.
 *
 * <p><b>Threads.</b> Any, without a lock.
 */
final class RunCounts implements CallCounts {

    private final Map<String, AtomicLong> next = new ConcurrentHashMap<>();

    @Override
    public long step() {
        return CallKey.NO_STEP;
    }

    @Override
    public long take(String name) {
        return next.computeIfAbsent(name, ignored -> new AtomicLong()).getAndIncrement();
    }

    @Override
    public void assembled(Submission.Address message) {}

    @Override
    public void subscribed(String name, long ticket, int ordinal, BorrowedTensors call) {}

    @Override
    public void subscribed(Submission.Address message, int ordinal, BorrowedTensors call) {}
}
