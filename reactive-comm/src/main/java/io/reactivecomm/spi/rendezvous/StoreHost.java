package io.reactivecomm.spi.rendezvous;

import io.reactivecomm.Admission.Encryption;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Runs a rendezvous store for the ranks of a world, in a process that need not be one of them; found through
 * {@link java.util.ServiceLoader}.
 */
public interface StoreHost {

    /**
     * Starts a store on this machine.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription starts a store, whose owner closes it. Cancelling before it is there
     * frees what was begun.
     *
     * <p><b>Errors.</b> {@link io.reactivecomm.RendezvousException} if the port is taken, or if the address is not a loopback address.
     *
     * @param host the loopback address to listen on
     * @param port the port, or 0 for one that the system picks
     * @param token the secret that admits a process, or null for none
     * @param encryption the rule of the ranks: a rank may reach the store through a tunnel, from another host
     */
    Mono<HostedStore> start(String host, int port, @Nullable String token, Encryption encryption);
}
