package io.reactivecomm.spi;

import io.reactivecomm.Work;
import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.engine.EngineContext;

/**
 * The things that an engine knows of a call that has succeeded. Made by {@link #of} and what follows it, so that it may grow.
 *
 * @param algorithm what {@link Work#algorithm()} shows
 * @param peer the other rank of a message, in its group, where the call itself did not say it; else {@link Work#NO_PEER}
 * @param endedAt when the result was in the tensors, by the clock of the {@linkplain EngineContext#loop() loop}; {@link #NOW} for when it is told
 * @param handle of a call that is enqueued, and whose result is not in the tensors yet
 */
public record Completion(String algorithm, int peer, long endedAt, Handle handle) {

    /** The {@link #endedAt()} of a call of which the engine does not know more than that it has ended. */
    public static final long NOW = Long.MIN_VALUE;

    /** {@return that of a call whose result is in the tensors} */
    public static Completion of(String algorithm) {
        return new Completion(algorithm, Work.NO_PEER, NOW, Handle.DONE);
    }

    /** {@return the same, of a message to or from that rank of the group} */
    public Completion withPeer(int otherPeer) {
        return new Completion(algorithm, otherPeer, endedAt, handle);
    }

    /** {@return the same, ended at that time} */
    public Completion withEndedAt(long nanoTime) {
        return new Completion(algorithm, peer, nanoTime, handle);
    }

    /** {@return the same, of a call that is enqueued} */
    public Completion withHandle(Handle enqueued) {
        return new Completion(algorithm, peer, endedAt, enqueued);
    }
}
