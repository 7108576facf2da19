package io.reactivecomm.netty.internal.rendezvous;

import io.netty.channel.Channel;
import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.Dialer;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.NotAdmittedException;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.Addresses;
import io.reactivecomm.netty.internal.store.StoreClient;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WarningLog;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Dials the store until it answers: it may start later than this rank.
 *
 * <p>Where the token stands in a {@link TokenFile} it is looked up once the store has answered. It has written its own before that, so what
 * stands there is no earlier store's. Who is refused with it, or finds none, is not meant to enter.
 *
 * <p><b>Threads.</b> The loop; the file is looked at on a thread that may block.
 */
public final class StoreSearch implements Dialer.Outcome {

    private static final Logger LOG = WarningLog.of(StoreSearch.class);

    /** The pauses between attempts: twice the last, from little more than a loopback connection takes to what nobody minds. */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** No store's token: those in files are hexadecimal. */
    private static final String NO_TOKEN = "none";

    private final NettyLoop loop;
    private final CommConfig config;
    private final TransportOptions options;
    private final Dialer.Target call;
    private final @Nullable TokenFile tokens;
    private final MonoSink<Found> sink;
    private final long begun;
    private long pauseNanos = FIRST_PAUSE_NANOS;
    private int attempts;
    private @Nullable String token;
    private volatile boolean over;
    private @Nullable Throwable latest;
    private @Nullable Channel dialing;
    private Loop.@Nullable Timer status;
    private Loop.@Nullable Timer end;

    private StoreSearch(
            NettyLoop loop,
            InetSocketAddress address,
            CommConfig config,
            @Nullable TokenFile tokens,
            TransportOptions options,
            MonoSink<Found> sink) {
        this.loop = loop;
        this.config = config;
        this.tokens = tokens;
        this.token = config.token();
        this.options = options;
        this.sink = sink;
        this.begun = options.timers().nanoTime();
        Handshake.Claim claim = new Handshake.Claim(
                Handshake.Purpose.STORE,
                options.version(),
                config.rank(),
                0,
                Handshake.STORE,
                new byte[Handshake.JOB_BYTES]);
        this.call = new Dialer.Target(
                address,
                config.encryption(),
                tokens == null ? Dialer.Token.of(config.token()) : then -> prove(tokens, then),
                claim);
    }

    /**
     * A connection to the store.
     *
     * @param token what it was admitted with
     */
    public record Found(StoreClient store, @Nullable String token) {

        /** {@return the connection without the token} */
        @Override
        public String toString() {
            return "Found[token=" + (token == null ? "none" : "set") + "]";
        }
    }

    /** {@return a connection to the store at that address, within the configuration's rendezvous timeout} */
    public static Mono<StoreClient> find(
            NettyLoop loop, InetSocketAddress address, CommConfig config, TransportOptions options) {
        return find(loop, address, config, null, options).map(Found::store);
    }

    /** @param tokens where the token stands, or null if it is the configuration's */
    public static Mono<Found> find(
            NettyLoop loop,
            InetSocketAddress address,
            CommConfig config,
            @Nullable TokenFile tokens,
            TransportOptions options) {
        return Attempt.create(sink -> {
            StoreSearch search = new StoreSearch(loop, address, config, tokens, options, sink);
            sink.onCancel(search::cancel);
            loop.execute(Attempt.task(sink, search::begin));
        });
    }

    private void begin() {
        long patience = Timers.nanos(config.rendezvousTimeout());
        end = options.timers().schedule(loop.eventLoop(), this::runOut, patience);
        status = options.timers().schedule(loop.eventLoop(), this::sayStatus, STATUS_NANOS);
        if (tokens == null) {
            attempt();
        } else {
            // Should the file be of no use, that is to be said at once and not when the store answers.
            look(tokens, ignored -> attempt());
        }
    }

    /** What is read for an attempt that was given up is not what the next one is admitted with. */
    private void prove(TokenFile file, Consumer<? super String> then) {
        int attempt = attempts;
        look(file, found -> {
            token = attempt == attempts ? found : token;
            if (found.equals(NO_TOKEN) && config.encryption().isEverywhere()) {
                end(notShared(file, new RendezvousException("TLS needs a token")));
            } else {
                then.accept(found);
            }
        });
    }

    private void look(TokenFile file, Consumer<String> then) {
        Blocking.call(file::read)
                .subscribe(
                        found -> loop.execute(Attempt.task(sink, () -> {
                            then.accept(found.orElse(NO_TOKEN));
                        })),
                        problem -> loop.execute(() -> end(problem)));
    }

    private void attempt() {
        if (!over) {
            attempts++;
            dialing = Dialer.dial(loop, call, options, this);
        }
    }

    @Override
    public void connected(Channel channel) {
        if (over) {
            channel.close();
            return;
        }
        dialing = null;
        Attempt.task(sink, () -> {
                    StoreClient store = new StoreClient(loop, channel, options.timers(), config.rank());
                    stop();
                    sink.success(new Found(store, token));
                })
                .run();
    }

    @Override
    public void failed(Throwable problem) {
        if (over) {
            return;
        }
        if (problem instanceof RendezvousException) {
            end(problem instanceof NotAdmittedException ? notAdmitted(problem) : problem);
            return;
        }
        latest = problem;
        options.timers().schedule(loop.eventLoop(), Attempt.task(sink, this::attempt), pauseNanos);
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
    }

    private Throwable notAdmitted(Throwable problem) {
        if (tokens != null) {
            return notShared(tokens, problem);
        }
        String given = config.token();
        return (given == null || given.isEmpty()) && !config.admission().tokenFile() ? notAlike(problem) : problem;
    }

    /** This rank looks for no token in a file; rank 0 may have put one there. */
    private RendezvousException notAlike(Throwable problem) {
        return new RendezvousException(
                "not admitted, the token differs: rank=" + config.rank() + ", address=" + Addresses.text(call.address())
                        + ", token=none, RCOMM_TOKEN_FILE=0; the store has a token: set RCOMM_TOKEN_FILE the same on all ranks, or give all"
                        + " the same RCOMM_TOKEN",
                problem);
    }

    private RendezvousException notShared(TokenFile file, Throwable problem) {
        return new RendezvousException(
                "not admitted to the store, whose token this rank cannot find: rank=" + config.rank() + ", address="
                        + Addresses.text(call.address()) + ", file=" + file.place()
                        + (NO_TOKEN.equals(token) ? ", found=no" : ", found=another")
                        + "; set RCOMM_TOKEN_FILE and WORLD_SIZE the same on all ranks; " + TokenFile.REMEDY,
                problem);
    }

    private void end(Throwable problem) {
        if (!over) {
            stop();
            sink.error(problem);
        }
    }

    private void sayStatus() {
        status = options.timers().schedule(loop.eventLoop(), this::sayStatus, STATUS_NANOS);
        LOG.warn("waits for the store: {}", facts());
    }

    private void runOut() {
        stop();
        sink.error(new RendezvousException(
                "cannot reach the store: " + facts() + "; check that rank 0 runs, and that " + place(), latest));
    }

    /** {@return what may be wrong with the address, by where it is from} */
    private String place() {
        if (config.meeting() != null) {
            return "this machine reaches that address of rank 0's: name another one, or a network interface, with RCOMM_LISTEN";
        }
        return config.file() == null
                ? "MASTER_ADDR and MASTER_PORT name its store"
                : "the file in which it stood is no leftover of an earlier run, file=" + config.file();
    }

    private String facts() {
        long waited = TimeUnit.NANOSECONDS.toMillis(options.timers().nanoTime() - begun);
        return "rank=" + config.rank() + ", address=" + Addresses.text(call.address()) + ", attempts=" + attempts
                + ", waited=" + waited / 1000.0 + " s, cause="
                + (latest == null ? "no answer" : CommException.textOf(latest));
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
