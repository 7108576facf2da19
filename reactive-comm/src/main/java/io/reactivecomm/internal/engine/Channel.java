package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import org.jspecify.annotations.Nullable;

/**
 * The group, name and tag that messages have in common if their order counts.
 *
 * @param enclosure the composite call's run in which they are counted, or null
 */
record Channel(long group, @Nullable Enclosure enclosure, String name, int tag) {

    /** {@return whether its messages are counted in that run of a composite call} */
    boolean isPartOf(CallKey.Ticket run) {
        return enclosure != null && enclosure.isPartOf(run);
    }

    static Channel of(CallKey.Message key) {
        return new Channel(key.group(), key.enclosure(), key.name(), key.tag());
    }
}
