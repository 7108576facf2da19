package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.link.Frame;
import org.jspecify.annotations.Nullable;

/**
 * The group, name and tag that messages have in common if their order counts.
 *
 * @param step in which they are counted, or {@link CallKey#NO_STEP}
 * @param enclosure the composite call's run in which they are counted, or null
 */
public record Channel(long group, long step, @Nullable Enclosure enclosure, String name, int tag) {

    /** {@return whether its messages are counted in that run of a composite call} */
    boolean isPartOf(CallKey.Ticket run) {
        return enclosure != null && enclosure.isPartOf(run);
    }

    /** {@return whether its messages are counted apart from others, so that both ends know which of them is missing} */
    boolean isCounted() {
        return enclosure != null || step != CallKey.NO_STEP;
    }

    static Channel of(Frame.Wanted wanted) {
        return new Channel(wanted.group(), wanted.step(), wanted.enclosure(), wanted.name(), wanted.tag());
    }

    static Channel of(CallKey.Message key) {
        return new Channel(key.group(), key.step(), key.enclosure(), key.name(), key.tag());
    }
}
