package io.reactivecomm.netty.internal.rendezvous;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.Addresses;
import io.reactivecomm.netty.internal.store.StoreServer;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WarningLog;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;

/**
 * Finds the store through an {@link AddressFile}: rank 0 publishes the address there, the others look until they see it.
 *
 * <p><b>Threads.</b> The file is looked at on a thread that may block.
 */
public final class StoreByFile {

    private static final Logger LOG = WarningLog.of(StoreByFile.class);

    /** As many as a file system on a network bears from each rank. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** 256 bits, which cannot be guessed. */
    private static final int TOKEN_BYTES = 32;

    private final CommConfig config;
    private final AddressFile file;
    private final TransportResources held;
    private final TransportOptions options;
    private final long begun;
    private long toldAt;

    public StoreByFile(Path file, CommConfig config, TransportResources held, TransportOptions options) {
        this.config = config;
        this.file = new AddressFile(file);
        this.held = held;
        this.options = options;
        this.begun = options.timers().nanoTime();
        this.toldAt = begun;
    }

    /** {@return the configuration for the store's address, which is this rank's own if it is rank 0} */
    public Mono<CommConfig> meet() {
        return config.rank() == 0 ? host() : search();
    }

    private Mono<CommConfig> host() {
        CommConfig admitting = config.token() == null ? config.withToken(newToken()) : config;
        return Blocking.run(() -> {
                    requireReachable();
                    held.hold(file);
                    file.claim();
                })
                // Held before an operator that may drop it: a cancellation may come at the moment in which the store is
                // there.
                .then(Mono.defer(() -> StoreServer.start(
                                admitting.host(), admitting.port(), admitting.token(), admitting.encryption(), options)
                        .doOnNext(held::hold)))
                .flatMap(Attempt.step(store -> {
                    InetSocketAddress address = store.address();
                    return Blocking.run(() -> file.publish(PublishedAddress.ofThisProcess(
                                    address.getAddress().getHostAddress(),
                                    address.getPort(),
                                    config.token() == null ? admitting.token() : null)))
                            .thenReturn(admitting.withListener(config.host(), address.getPort()));
                }));
    }

    /** The others dial what is published, and nobody can dial "any address". */
    private void requireReachable() {
        if (Addresses.resolve(config.host(), config.port()).getAddress().isAnyLocalAddress()) {
            throw new RendezvousException("rank 0 cannot publish where it listens: host=" + config.host()
                    + "; name an address by which the other ranks reach it");
        }
    }

    private static String newToken() {
        return HexFormat.of().formatHex(Handshake.newNonce(TOKEN_BYTES));
    }

    private Mono<CommConfig> search() {
        return Blocking.call(() -> file.read().orElse(null))
                .repeatWhenEmpty(Integer.MAX_VALUE, looked -> looked.concatMap(_ -> pause()))
                .map(this::configured);
    }

    private CommConfig configured(PublishedAddress address) {
        CommConfig known = config.withListener(address.host(), address.port());
        return known.token() == null ? known.withToken(address.token()) : known;
    }

    /** {@return a word to look again, after a while} */
    private Mono<Boolean> pause() {
        return Attempt.create(sink -> {
            long now = options.timers().nanoTime();
            if (now - begun >= Timers.nanos(config.rendezvousTimeout())) {
                sink.error(new RendezvousException("no address appeared in the rendezvous file: " + facts(now)
                        + "; check that rank 0 runs, with the same file, and that all ranks see the same file system"));
                return;
            }
            if (now - toldAt >= STATUS_NANOS) {
                toldAt = now;
                LOG.warn("waits for the rendezvous file: {}", facts(now));
            }
            Loop.Timer timer =
                    options.timers().schedule(held.loop().eventLoop(), () -> sink.success(true), PAUSE_NANOS);
            sink.onDispose(timer::cancel);
        });
    }

    private String facts(long now) {
        return "file=" + config.file() + ", rank=" + config.rank() + ", waited="
                + TimeUnit.NANOSECONDS.toMillis(now - begun) / 1000.0 + " s";
    }
}
