package io.reactivecomm.internal.stream;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Whoever tells observers of streams.
 *
 * <p><b>Threads.</b> Any.
 */
public interface StreamWitness {

    /**
     * An end of a stream begins, and no other rank knows of it yet.
     *
     * @param number which stream of its place it is
     * @param context Reactor's, of the subscriber
     * @return is told of its end, perhaps several times, of which the first counts: why it failed, or null
     */
    Consumer<@Nullable Throwable> begins(StreamPlace place, long number, ContextView context);
}
