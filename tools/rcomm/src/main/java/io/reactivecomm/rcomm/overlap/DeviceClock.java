package io.reactivecomm.rcomm.overlap;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;

/**
 * The times of one step, taken by events on the device, as times since the epoch: one event has been waited for by the host, and all others count
 * from it.
 *
 * <p><b>Threads.</b> Any: layers are noted by the thread that launches them, reductions by those that begin and end them.
 */
final class DeviceClock implements AutoCloseable {

    private final Gpu gpu;
    private final CUevent origin;
    private final long originNanos;
    private final List<CUevent> events = new ArrayList<>();

    /** A time in which something went on. @param name what */
    private record Timed(String name, CUevent from, CUevent to) {}

    private final List<Timed> compute = new ArrayList<>();
    private final List<Timed> reductions = new ArrayList<>();

    /** Begins a step, once what is on the stream is done. */
    DeviceClock(Gpu gpu, CUstream stream) {
        this.gpu = gpu;
        origin = gpu.recorded(stream);
        gpu.synchronize(origin);
        originNanos = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
        events.add(origin);
    }

    /** {@return an event on a stream, here and now} */
    synchronized CUevent mark(CUstream stream) {
        CUevent event = gpu.recorded(stream);
        events.add(event);
        return event;
    }

    synchronized void computed(String name, CUevent from, CUevent to) {
        compute.add(new Timed(name, from, to));
    }

    synchronized void reduced(String name, CUevent from, CUevent to) {
        reductions.add(new Timed(name, from, to));
    }

    /** {@return the times of the step, whose results the host has} */
    synchronized StepTimes read() {
        List<TimeSpan> computed = compute.stream().map(this::span).toList();
        List<TimeSpan> reduced = reductions.stream()
                .map(this::span)
                .sorted(Comparator.comparingLong(TimeSpan::fromNanos))
                .toList();
        long backwardEnd = computed.getLast().toNanos();
        long end = Math.max(
                backwardEnd, reduced.stream().mapToLong(TimeSpan::toNanos).max().orElse(backwardEnd));
        return new StepTimes(
                new TimeSpan("step", computed.getFirst().fromNanos(), end), backwardEnd, computed, reduced);
    }

    private TimeSpan span(Timed timed) {
        gpu.synchronize(timed.to);
        return new TimeSpan(timed.name, at(timed.from), at(timed.to));
    }

    private long at(CUevent event) {
        return originNanos + gpu.nanos(origin, event);
    }

    @Override
    public void close() {
        gpu.destroy(events);
    }
}
