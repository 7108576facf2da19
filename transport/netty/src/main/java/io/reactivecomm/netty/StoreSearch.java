package io.reactivecomm.netty;

import io.netty.channel.Channel;
import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.Loop;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Dials the store until it answers: it may start later than this rank.
 *
 * <p><b>Threads.</b> The loop.
 */
final class StoreSearch implements Dialer.Outcome {

    private static final Logger LOG = LoggerFactory.getLogger(StoreSearch.class);

    /** The pauses between attempts: twice the last, from little more than a loopback connection takes to what nobody minds. */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final NettyLoop loop;
    private final CommConfig config;
    private final TcpTransport.Options options;
    private final Dialer.Call call;
    private final MonoSink<StoreClient> sink;
    private final long begun;
    private long pauseNanos = FIRST_PAUSE_NANOS;
    private int attempts;
    private volatile boolean over;
    private @Nullable Throwable latest;
    private @Nullable Channel dialing;
    private Loop.@Nullable Timer status;
    private Loop.@Nullable Timer end;

    private StoreSearch(
            NettyLoop loop,
            InetSocketAddress address,
            CommConfig config,
            TcpTransport.Options options,
            MonoSink<StoreClient> sink) {
        this.loop = loop;
        this.config = config;
        this.options = options;
        this.sink = sink;
        this.begun = options.timers().nanoTime();
        Handshake.Claim claim = new Handshake.Claim(
                Handshake.Purpose.STORE, options.version(), config.rank(), 0, new byte[Handshake.JOB_BYTES]);
        this.call = new Dialer.Call(address, options.version(), config.token(), claim);
    }

    /** {@return a connection to the store at that address, within the configuration's rendezvous timeout} */
    static Mono<StoreClient> find(
            NettyLoop loop, InetSocketAddress address, CommConfig config, TcpTransport.Options options) {
        return Mono.create(sink -> {
            StoreSearch search = new StoreSearch(loop, address, config, options, sink);
            sink.onCancel(search::cancel);
            loop.execute(search::begin);
        });
    }

    private void begin() {
        long patience = Timers.nanos(config.rendezvousTimeout());
        end = options.timers().schedule(loop.eventLoop(), this::runOut, patience);
        status = options.timers().schedule(loop.eventLoop(), this::sayStatus, STATUS_NANOS);
        attempt();
    }

    private void attempt() {
        if (!over) {
            attempts++;
            dialing = Dialer.dial(loop, call, options.timers(), this);
        }
    }

    @Override
    public void connected(Channel channel) {
        if (over) {
            channel.close();
            return;
        }
        dialing = null;
        stop();
        sink.success(new StoreClient(loop, channel, options.timers(), config.rank()));
    }

    @Override
    public void failed(Throwable problem) {
        if (over) {
            return;
        }
        if (problem instanceof RendezvousException) {
            stop();
            sink.error(problem);
            return;
        }
        latest = problem;
        options.timers().schedule(loop.eventLoop(), this::attempt, pauseNanos);
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
    }

    private void sayStatus() {
        status = options.timers().schedule(loop.eventLoop(), this::sayStatus, STATUS_NANOS);
        LOG.warn("waits for the store: {}", facts());
    }

    private void runOut() {
        stop();
        sink.error(new RendezvousException(
                "cannot reach the store: " + facts() + "; check that rank 0 runs, and that "
                        + (config.file() == null
                                ? "MASTER_ADDR and MASTER_PORT name its store"
                                : "the file in which it stood is no leftover of an earlier run, file=" + config.file()),
                latest));
    }

    private String facts() {
        long waited = TimeUnit.NANOSECONDS.toMillis(options.timers().nanoTime() - begun);
        return "rank=" + config.rank() + ", address=" + Addresses.text(call.address()) + ", attempts=" + attempts
                + ", waited=" + waited / 1000.0 + " s, cause=" + (latest == null ? "no answer" : latest.getMessage());
    }

    /** From any thread. */
    private void cancel() {
        over = true;
        loop.execute(this::stop);
    }

    private void stop() {
        over = true;
        if (status != null) {
            status.cancel();
        }
        if (end != null) {
            end.cancel();
        }
        if (dialing != null) {
            dialing.close();
        }
    }
}
