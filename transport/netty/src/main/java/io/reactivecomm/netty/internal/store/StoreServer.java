package io.reactivecomm.netty.internal.store;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.StrangerLog;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.Addresses;
import io.reactivecomm.netty.internal.host.OwnAddresses;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.JobBoard;
import io.reactivecomm.spi.rendezvous.HostedStore;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * The rendezvous store: keys and values, and the roll call at which the ranks find each other.
 *
 * <p>Its table lives in memory and ends with it. Strangers are bounded as {@link GuardedListener} says, ranks by
 * {@link StoreBudget#MAX_BYTES}.
 *
 * <p><b>Threads.</b> One of its own, {@code rcomm-store}.
 */
public final class StoreServer implements HostedStore {

    private static final Logger LOG = LoggerFactory.getLogger(StoreServer.class);

    /** A store whose thread is held up ends without a last word to those who watch. */
    private static final long LAST_WORD_SECONDS = 1;

    /** Where stores of this process listen. */
    private static final Set<Integer> PORTS = ConcurrentHashMap.newKeySet();

    private final NettyLoop loop;
    private final Channel listener;
    private final InetSocketAddress address;
    private final StrangerLog strangers;
    private final JobBoard board;
    /** On the loop. */
    private final Set<WatchSession> watchers;

    private StoreServer(
            NettyLoop loop, Channel listener, StrangerLog strangers, JobBoard board, Set<WatchSession> watchers) {
        this.loop = loop;
        this.listener = listener;
        this.address = (InetSocketAddress) listener.localAddress();
        this.strangers = strangers;
        this.board = board;
        this.watchers = watchers;
        PORTS.add(address.getPort());
    }

    /**
     * Starts a store.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription starts one, whose owner closes it. Cancelling before it is there frees
     * what was begun.
     *
     * <p><b>Errors.</b> {@link RendezvousException} if the port is taken, or if the address is beyond loopback and there is no token or
     * one that is too short for TLS.
     *
     * @param host the address to listen on
     * @param port the port, or 0 for one that the system picks
     * @param token the secret that admits a rank, or null for none
     * @param encryption which bytes are encrypted
     */
    public static Mono<StoreServer> start(String host, int port, @Nullable String token, Encryption encryption) {
        return start(host, port, token, encryption, TransportOptions.DEFAULT);
    }

    public static Mono<StoreServer> start(
            String host, int port, @Nullable String token, Encryption encryption, TransportOptions options) {
        return bind(host, port, token, encryption, options).doOnNext(StoreServer::open);
    }

    /** As {@link #start}, but nobody is let in before {@link #open}: who dials waits. */
    public static Mono<StoreServer> bind(
            String host, int port, @Nullable String token, Encryption encryption, TransportOptions options) {
        return Attempt.create(sink -> {
            InetSocketAddress address = Addresses.resolve(host, port);
            Addresses.requireAllowed(address, token, encryption);
            NettyLoop loop = NettyLoop.start("rcomm-store", options.sockets());
            sink.onCancel(loop::stop);
            // On the loop, which a cancellation then ends before or after this, and not in the middle.
            loop.execute(Attempt.task(
                    sink, () -> listen(loop, address, new GuardedListener.Terms(options, token, encryption), sink)));
        });
    }

    private static void listen(
            NettyLoop loop, InetSocketAddress address, GuardedListener.Terms terms, MonoSink<StoreServer> sink) {
        TransportOptions options = terms.options();
        StrangerLog strangers = new StrangerLog("the store", loop.eventLoop(), options.timers());
        StoreContents contents = StoreContents.empty();
        Set<WatchSession> watchers = new HashSet<>();
        SessionAcceptor acceptor = new SessionAcceptor(loop, options, strangers, contents, watchers);
        ChannelFuture bound = GuardedListener.bind(loop, address, terms, strangers, false, acceptor);
        bound.addListener(done -> {
            if (done.isSuccess()) {
                StoreServer store = new StoreServer(loop, bound.channel(), strangers, contents.board(), watchers);
                LOG.info("store listens: address={}", Addresses.text(store.address));
                sink.success(store);
            } else {
                loop.stop();
                sink.error(cannotListen(address, done.cause()));
            }
        });
    }

    private static RendezvousException cannotListen(InetSocketAddress address, Throwable cause) {
        String holder = PortHolder.describe(address.getPort());
        return new RendezvousException(
                "the store cannot listen: address=" + Addresses.text(address) + ", cause=" + CommException.textOf(cause)
                        + (holder == null ? "" : ", heldBy=" + holder)
                        + "; " + remedy(address, BindFailure.of(address, cause, OwnAddresses.haveIpv6())),
                cause);
    }

    private static String remedy(InetSocketAddress address, BindFailure failure) {
        return failure == BindFailure.IN_USE && PORTS.contains(address.getPort())
                ? "this process has connected already: connect once in a process and take further groups from newGroup or split, or close the first group"
                        + " on all ranks before they connect anew"
                : failure.remedy();
    }

    /** Lets those in who have the token. Idempotent. */
    public void open() {
        listener.config().setAutoRead(true);
    }

    @Override
    public int port() {
        return address.getPort();
    }

    /** {@return where it listens} */
    public InetSocketAddress address() {
        return address;
    }

    /** {@return what its thread finds out of the board} */
    <T> Mono<T> onBoard(Function<JobBoard, T> question) {
        return Mono.fromCallable(() -> question.apply(board)).subscribeOn(Schedulers.fromExecutor(loop));
    }

    /** {@return how many connections were turned away} */
    public int strangers() {
        return strangers.total();
    }

    @Override
    public void close() {
        CountDownLatch said = new CountDownLatch(1);
        boolean isSaid = loop.takes(() -> {
            WatchSession.sayLast(watchers);
            said.countDown();
        });
        try {
            // The end of the loop closes its channels, whatever waits to be done on it.
            if (isSaid && !Schedulers.isInNonBlockingThread() && !said.await(LAST_WORD_SECONDS, TimeUnit.SECONDS)) {
                LOG.debug("the store ends without a last word to watchers: its thread is held up");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        loop.stop();
        PORTS.remove(address.getPort());
    }

    /** Admits ranks to the table and the roll call. */
    private static final class SessionAcceptor implements GuardedListener.Host {

        private final int version;
        private final StoreContents contents;
        private final Set<WatchSession> watchers;
        private final Timers timers;
        private final RollCall rollCall;

        SessionAcceptor(
                NettyLoop loop,
                TransportOptions options,
                StrangerLog strangers,
                StoreContents contents,
                Set<WatchSession> watchers) {
            this.contents = contents;
            this.watchers = watchers;
            version = options.version();
            timers = options.timers();
            rollCall = new RollCall(loop.eventLoop(), options.timers(), strangers::wrongTokens);
        }

        @Override
        public GuardedListener.Verdict judge(Handshake.Claim claim) {
            boolean isWatcher = claim.purpose() == Handshake.Purpose.WATCH;
            if (!isWatcher && claim.purpose() != Handshake.Purpose.STORE) {
                return new GuardedListener.Verdict(Handshake.Refusal.JOB, "this is the store, not a rank");
            }
            if (claim.target() != Handshake.STORE) {
                return new GuardedListener.Verdict(
                        Handshake.Refusal.RANK,
                        "a connection to rank " + claim.target() + " was delivered to the store: rank=" + claim.rank()
                                + "; check the network between the hosts");
            }
            if (isWatcher) {
                return judgeWatcher(claim);
            }
            if (claim.version() != version) {
                String text = "the protocol's version differs: rank=" + claim.rank() + " has version=" + claim.version()
                        + ", the store has version=" + version + "; run one release of Reactive Comm on all ranks";
                rollCall.fail(text);
                return new GuardedListener.Verdict(Handshake.Refusal.VERSION, text);
            }
            return GuardedListener.Verdict.ADMIT;
        }

        @Override
        public void disagreed(String text) {
            rollCall.fail(text);
        }

        /** One of another release is no rank of the job, which need not hear of it. */
        private GuardedListener.Verdict judgeWatcher(Handshake.Claim claim) {
            if (claim.version() == version) {
                return GuardedListener.Verdict.ADMIT;
            }
            return new GuardedListener.Verdict(
                    Handshake.Refusal.VERSION,
                    "the protocol's version differs: watcher has version=" + claim.version() + ", the job has version="
                            + version + "; watch it with its own release of Reactive Comm");
        }

        @Override
        public void admit(Channel channel, Handshake.Claim claim) {
            if (claim.purpose() == Handshake.Purpose.WATCH) {
                WatchSession.begin(channel, contents.board(), timers, watchers);
                return;
            }
            GuardedListener.steeringOf(channel).plainBytes(64 * 1024);
            channel.pipeline().get(PacketDecoder.class).resume(StorePacket.MAX_REQUEST_BYTES);
            channel.pipeline().addLast(new StoreSession(channel, contents, rollCall, timers, claim.rank()));
        }
    }
}
