package io.reactivecomm.netty.internal.rendezvous;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.WorkThreads;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Looks the store's host up until it has an address. In a cluster that starts rank 0 together with the others, its name comes to be
 * known moments after they ask for it.
 *
 * <p><b>Threads.</b> One that may block, as a lookup does.
 */
public final class HostLookup {

    private static final Logger LOG = WarningLog.of(HostLookup.class);

    /** The JVM remembers for 10 s that it did not find a name; to ask sooner costs nothing and to ask later costs a start. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Asks the system, or whom a test puts in its place. */
    public interface Resolver {

        /** {@return the host's address} */
        InetAddress resolve(String host) throws UnknownHostException;
    }

    private final CommConfig config;
    private final NettyLoop loop;
    private final Timers timers;
    private final long begun;
    private long toldAt;

    private HostLookup(CommConfig config, NettyLoop loop, Timers timers) {
        this.config = config;
        this.loop = loop;
        this.timers = timers;
        this.begun = timers.nanoTime();
        this.toldAt = begun;
    }

    /** {@return the store's address, within the configuration's rendezvous timeout} */
    public static Mono<InetSocketAddress> find(CommConfig config, NettyLoop loop, Timers timers, Resolver resolver) {
        return Attempt.begin(() -> {
            HostLookup lookup = new HostLookup(config, loop, timers);
            return Mono.fromCallable(() -> resolver.resolve(config.host()))
                    .subscribeOn(WorkThreads.shared())
                    .retryWhen(Retry.from(failures -> failures.concatMap(one -> lookup.pause(one.failure()))))
                    .map(address -> new InetSocketAddress(address, config.port()));
        });
    }

    /** {@return a word to look again, after a while} */
    private Mono<Boolean> pause(Throwable problem) {
        return Attempt.create(sink -> {
            long now = timers.nanoTime();
            if (!(problem instanceof UnknownHostException) || now - begun >= Timers.nanos(config.rendezvousTimeout())) {
                sink.error(new RendezvousException(
                        "cannot find the store's host: " + facts(now)
                                + "; give a name or address that this machine can resolve",
                        problem));
                return;
            }
            if (now - toldAt >= STATUS_NANOS) {
                toldAt = now;
                LOG.warn("looks for the store's host: {}", facts(now));
            }
            Loop.Timer timer = timers.schedule(loop.eventLoop(), () -> sink.success(true), PAUSE_NANOS);
            sink.onDispose(timer::cancel);
        });
    }

    private String facts(long now) {
        return "MASTER_ADDR=" + config.host() + ", rank=" + config.rank() + ", waited="
                + TimeUnit.NANOSECONDS.toMillis(now - begun) / 1000.0 + " s";
    }
}
