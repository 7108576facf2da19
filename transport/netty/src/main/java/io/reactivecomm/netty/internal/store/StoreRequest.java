package io.reactivecomm.netty.internal.store;

import io.reactivecomm.RendezvousException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/** A request of a {@link StoreClient}. It waits for its answer, unless it has failed, or has been cancelled from whatever thread. */
final class StoreRequest {

    final MonoSink<StorePacket> sink;
    final AtomicBoolean taken;
    volatile boolean over;
    /** The loop's: a queue's item that was handed to the sink, which drops it if its subscriber cancels at that moment. */
    @Nullable StorePacket item;

    /** @param taken whether the subscriber has the answer */
    StoreRequest(MonoSink<StorePacket> sink, AtomicBoolean taken) {
        this.sink = sink;
        this.taken = taken;
    }

    void fail(RendezvousException problem) {
        if (!over) {
            over = true;
            sink.error(problem);
        }
    }
}
