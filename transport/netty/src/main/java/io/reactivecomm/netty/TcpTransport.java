package io.reactivecomm.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.Meeting;
import io.reactivecomm.NetworkChoice;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.StrangerLog;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.Addresses;
import io.reactivecomm.netty.internal.host.HostAddresses;
import io.reactivecomm.netty.internal.host.OwnAddresses;
import io.reactivecomm.netty.internal.host.RankAddress;
import io.reactivecomm.netty.internal.host.RankAddressChoice;
import io.reactivecomm.netty.internal.host.ThisHost;
import io.reactivecomm.netty.internal.link.MeshFormation;
import io.reactivecomm.netty.internal.link.RankAcceptor;
import io.reactivecomm.netty.internal.link.WorldLimits;
import io.reactivecomm.netty.internal.rendezvous.Blocking;
import io.reactivecomm.netty.internal.rendezvous.HostLookup;
import io.reactivecomm.netty.internal.rendezvous.StoreByFile;
import io.reactivecomm.netty.internal.rendezvous.StoreByMeeting;
import io.reactivecomm.netty.internal.rendezvous.StoreSearch;
import io.reactivecomm.netty.internal.rendezvous.TokenFile;
import io.reactivecomm.netty.internal.rendezvous.TransportResources;
import io.reactivecomm.netty.internal.store.JoinRequest;
import io.reactivecomm.netty.internal.store.Roster;
import io.reactivecomm.netty.internal.store.StoreClient;
import io.reactivecomm.netty.internal.store.StoreServer;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.link.LinkTransport;
import io.reactivecomm.spi.link.Mesh;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * Links over TCP. Rank 0 or the launcher runs the rendezvous store, all ranks meet there, then each rank connects to each other rank.
 * The store's address is configured, or found through a file or through a {@link Meeting}.
 *
 * <p>Two connections join a pair of ranks: one for frames, on the loop {@code rcomm-loop-R}, and one for heartbeats, on the thread
 * {@code rcomm-control-R}. Heartbeats are also sent as datagrams. If the configuration asks for lanes, further connections carry the payloads of
 * large tensors. A rank listens at the address from which it reached the store, unless the configuration names a network.
 */
public final class TcpTransport implements LinkTransport {

    private final TransportOptions options;

    /** For {@link java.util.ServiceLoader}. */
    public TcpTransport() {
        this(TransportOptions.DEFAULT);
    }

    TcpTransport(TransportOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "tcp";
    }

    @Override
    public Mono<Mesh> connect(CommConfig config) {
        return Attempt.begin(() -> {
            WorldLimits.ofThisProcess().require(config);
            long begun = options.timers().nanoTime();
            TransportResources held = new TransportResources(config.rank(), config.worldSize(), options.sockets());
            return listening(config)
                    .flatMap(Attempt.step(listening -> meet(config, held, listening)
                            .flatMap(Attempt.step(known -> join(known, held, begun, listening)))))
                    .onErrorResume(problem -> Blocking.run(held::close).then(Mono.error(problem)))
                    // Unlike doOnCancel this comes after what is above has been cancelled, so nothing there sees its
                    // loop end.
                    .doFinally(end -> {
                        if (end == SignalType.CANCEL) {
                            held.closeUnlessHandedOver();
                        }
                    })
                    .doOnDiscard(Mesh.class, Mesh::close);
        });
    }

    /** {@return the choice of this rank's address, which is an error before the others are kept waiting if there is none} */
    private static Mono<RankAddressChoice> listening(CommConfig config) {
        NetworkChoice asked = config.tuning().network();
        return asked == null
                ? Mono.just(RankAddressChoice.AS_REACHED)
                : Blocking.call(() -> RankAddressChoice.among(OwnAddresses.ofInterfaces(), asked));
    }

    /**
     * The location of the store.
     *
     * @param tokens where its token is to be found, or null if the configuration has all there is
     */
    private record StoreLocation(
            CommConfig config, @Nullable TokenFile tokens) {}

    /** {@return where the store is, once that is known; it runs then if this rank is to run it} */
    private Mono<StoreLocation> meet(CommConfig config, TransportResources held, RankAddressChoice listening) {
        Path file = config.file();
        if (file != null) {
            return new StoreByFile(file, onNetwork(config, listening), held, options)
                    .meet()
                    .map(known -> new StoreLocation(known, null));
        }
        Meeting meeting = config.meeting();
        if (meeting != null) {
            return new StoreByMeeting(meeting, config, held, options, listening)
                    .meet()
                    .map(known -> new StoreLocation(known, null));
        }
        boolean isHost = config.rank() == 0 && !config.storeHosted();
        return HostLookup.find(config, held.loop(), options.timers(), host -> address(host, isHost, listening))
                .flatMap(Attempt.step(address -> {
                    CommConfig known = config.withListener(address.getAddress().getHostAddress(), address.getPort());
                    if (TokenFile.guards(address, known)) {
                        return guarded(known, isHost, new TokenFile(address, options.directories()), held);
                    }
                    return isHost ? host(known, null, held) : Mono.just(new StoreLocation(known, null));
                }));
    }

    private Mono<StoreLocation> guarded(CommConfig config, boolean isHost, TokenFile tokens, TransportResources held) {
        if (!isHost) {
            return Mono.just(new StoreLocation(config, tokens));
        }
        // Of a world of one nobody else needs to know the token.
        return host(config.withToken(TokenFile.newToken()), config.worldSize() == 1 ? null : tokens, held);
    }

    /** {@return the configuration, where a store that publishes its address is on the network that is named, unless it was told where to listen} */
    private static CommConfig onNetwork(CommConfig config, RankAddressChoice listening) {
        return config.host().equals(StoreAddress.LOOPBACK)
                ? listening
                        .forStore()
                        .map(address -> config.withListener(address.getHostAddress(), config.port()))
                        .orElse(config)
                : config;
    }

    private static InetAddress address(String host, boolean isHost, RankAddressChoice listening)
            throws UnknownHostException {
        HostAddresses all = HostAddresses.of(host);
        return isHost ? all.own(listening) : all.towards(listening, OwnAddresses::sourceTowards);
    }

    private Mono<StoreLocation> host(CommConfig config, @Nullable TokenFile tokens, TransportResources held) {
        return StoreServer.bind(config.host(), config.port(), config.token(), config.encryption(), options)
                .doOnNext(held::hold)
                .delayUntil(_ -> tokens == null ? Mono.empty() : published(config, tokens, held))
                .doOnNext(StoreServer::open)
                .thenReturn(new StoreLocation(config, null));
    }

    private static Mono<Void> published(CommConfig config, TokenFile tokens, TransportResources held) {
        return Blocking.run(() -> {
            held.hold(tokens);
            tokens.publish(String.valueOf(config.token()));
        });
    }

    private Mono<Mesh> join(StoreLocation place, TransportResources held, long begun, RankAddressChoice listening) {
        CommConfig config = place.config();
        InetSocketAddress address = Addresses.resolve(config.host(), config.port());
        if (place.tokens() == null) {
            Addresses.requireAllowed(address, config.token(), config.encryption());
        }
        CommConfig hurried = config.withRendezvousTimeout(left(config, begun));
        return StoreSearch.find(held.loop(), address, hurried, place.tokens(), options)
                .flatMap(Attempt.step(
                        found -> form(config.withToken(found.token()), held, found.store(), begun, listening)));
    }

    /** {@return what is left of the time to wait for the others, at least a moment} */
    private Duration left(CommConfig config, long begun) {
        Duration patience =
                config.rendezvousTimeout().minusNanos(options.timers().nanoTime() - begun);
        return patience.toMillis() < 1 ? Duration.ofMillis(1) : patience;
    }

    private Mono<Mesh> form(
            CommConfig config, TransportResources held, StoreClient store, long begun, RankAddressChoice listening) {
        RankAddress own = listening.choose(store.localAddress().getAddress());
        InetAddress host = own.address();
        MeshFormation formation = new MeshFormation(config, options, held, store, own);
        if (own.asked() != null) {
            Addresses.requireAllowed(
                    host,
                    host.getHostAddress() + ", RCOMM_INTERFACE=" + own.asked(),
                    config.token(),
                    config.encryption());
        }
        Mono<Integer> beats = formation.bindDatagrams();
        Mono<Channel> data = listen(held.loop(), host, config, formation.dataAcceptor());
        Mono<Channel> control = listen(held.control(), host, config, formation.controlAcceptor());
        Duration left = left(config, begun);
        Function<int[], Mono<Roster>> join = ports -> store.join(
                new JoinRequest(
                        new Roster.Entry(
                                config.rank(),
                                config.worldSize(),
                                host.getHostAddress(),
                                ports[0],
                                ports[1],
                                ports[2],
                                left.toMillis(),
                                ThisHost.number(ThisHost.identity(config))),
                        config.agreed()),
                left);
        return Mono.zip(data, control, beats)
                .doOnNext(both -> held.loop().execute(() -> {
                    store.tell(formation);
                    formation.add(both.getT1());
                    formation.add(both.getT2());
                }))
                .flatMap(Attempt.step(
                        all -> join.apply(new int[] {portOf(all.getT1()), portOf(all.getT2()), all.getT3()})))
                .delayUntil(_ -> Blocking.run(held::removeFile))
                .flatMap(Attempt.step(roster -> Attempt.<Mesh>create(sink ->
                        held.loop().execute(Attempt.task(sink, () -> formation.begin(roster, sink))))))
                .doOnNext(_ -> held.loop().execute(store::sayConnected));
    }

    private static int portOf(Channel listener) {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private Mono<Channel> listen(NettyLoop on, InetAddress host, CommConfig config, RankAcceptor acceptor) {
        return Attempt.create(sink -> {
            StrangerLog strangers = new StrangerLog("rank " + config.rank(), on.eventLoop(), options.timers());
            ChannelFuture bound = GuardedListener.bind(
                    on,
                    new InetSocketAddress(host, 0),
                    new GuardedListener.Terms(options, config.token(), config.encryption()),
                    strangers,
                    false,
                    acceptor);
            bound.addListener(done -> {
                if (done.isSuccess()) {
                    sink.success(bound.channel());
                } else {
                    sink.error(new RendezvousException(
                            "a rank cannot listen: rank=" + config.rank() + ", address=" + host.getHostAddress()
                                    + ", cause=" + CommException.textOf(done.cause())
                                    + "; free ports of that address, or raise the limit of open files (ulimit -n)",
                            done.cause()));
                }
            });
        });
    }
}
