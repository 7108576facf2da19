package io.reactivecomm.spi.rendezvous;

/** A running rendezvous store. May be used from any thread. */
public interface HostedStore extends AutoCloseable {

    /** {@return the port on which it listens} */
    int port();

    /** Ends the store and the connections to it. Idempotent. */
    @Override
    void close();
}
