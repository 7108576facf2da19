package io.reactivecomm.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The meters that this library has in a registry, so that they can be taken out again.
 *
 * <p><b>Threads.</b> Any.
 */
final class MeterSet {

    private final MeterRegistry registry;
    /** Guarded by itself. */
    private final Set<Meter> made = new HashSet<>();
    /** Guarded by {@link #made}. */
    private boolean isOver;

    MeterSet(MeterRegistry registry) {
        this.registry = registry;
    }

    Timer timer(String name, String description, Tags tags) {
        return added(Timer.builder(name).description(description).tags(tags).register(registry));
    }

    Counter counter(String name, String description, String unit, Tags tags) {
        return added(Counter.builder(name)
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry));
    }

    /** The registry keeps what is asked, until the gauge is taken out. */
    Gauge gauge(String name, String description, String unit, Tags tags, Supplier<Number> value) {
        return added(Gauge.builder(name, value)
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry));
    }

    /** One that comes too late, because a call ended while they were taken out, goes at once. */
    private <M extends Meter> M added(M meter) {
        synchronized (made) {
            if (isOver) {
                registry.remove(meter);
            } else {
                made.add(meter);
            }
        }
        return meter;
    }

    /** Takes them all out. */
    void removeAll() {
        synchronized (made) {
            isOver = true;
            made.forEach(registry::remove);
            made.clear();
        }
    }
}
