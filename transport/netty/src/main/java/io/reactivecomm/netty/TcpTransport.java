package io.reactivecomm.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.FrameCodec;
import io.reactivecomm.spi.LinkTransport;
import io.reactivecomm.spi.Mesh;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;

/**
 * Links over TCP: rank 0 or the launcher runs the {@link StoreServer}, all ranks meet there, then each connects with each.
 * Where it listens is configured, or found through an {@link AddressFile}.
 *
 * <p>Two connections join a pair of ranks: one for frames, on the loop {@code rcomm-loop-R}, and one for heartbeats, on the thread
 * {@code rcomm-control-R}. Where they are asked for, {@link Lanes} come to the first. Ranks listen where the store is reached: on loopback if it is there.
 */
public final class TcpTransport implements LinkTransport {

    private static final Logger LOG = LoggerFactory.getLogger(TcpTransport.class);

    /**
     * What tests change.
     *
     * @param version the protocol's version that this side speaks
     */
    record Options(Sockets sockets, Timers timers, int version) {

        static final Options DEFAULT = new Options(Sockets.best(), Timers.SYSTEM, FrameCodec.VERSION);

        Options withSockets(Sockets sockets) {
            return new Options(sockets, timers, version);
        }

        Options withTimers(Timers timers) {
            return new Options(sockets, timers, version);
        }

        Options withVersion(int version) {
            return new Options(sockets, timers, version);
        }
    }

    private final Options options;

    /** For {@link java.util.ServiceLoader}. */
    public TcpTransport() {
        this(Options.DEFAULT);
    }

    TcpTransport(Options options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "tcp";
    }

    @Override
    public Mono<Mesh> connect(CommConfig config) {
        return Mono.defer(() -> {
            long begun = options.timers().nanoTime();
            Holdings held = new Holdings(config.rank(), options.sockets());
            return meet(config, held)
                    .flatMap(known -> join(known, held, begun))
                    .doOnNext(mesh -> LOG.info(
                            "connected: rank={}, worldSize={}, sockets={}",
                            mesh.rank(),
                            mesh.worldSize(),
                            options.sockets()))
                    .doOnError(_ -> held.close())
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

    /** {@return the configuration for the store's address, once that is known; the store runs then if this rank is to run it} */
    private Mono<CommConfig> meet(CommConfig config, Holdings held) {
        Path file = config.file();
        if (file != null) {
            return new StoreByFile(file, config, held, options).meet();
        }
        return HostLookup.find(config, held.loop(), options.timers(), InetAddress::getByName)
                .flatMap(_ -> host(config, held))
                .thenReturn(config);
    }

    private Mono<Void> host(CommConfig config, Holdings held) {
        if (config.rank() != 0 || config.storeHosted()) {
            return Mono.empty();
        }
        return StoreServer.start(config.host(), config.port(), config.token(), config.plaintext(), options)
                .doOnNext(held::hold)
                .then();
    }

    private Mono<Mesh> join(CommConfig config, Holdings held, long begun) {
        InetSocketAddress address = Addresses.resolve(config.host(), config.port());
        Addresses.requireAllowed(address, config.token(), config.plaintext());
        CommConfig hurried = config.withRendezvousTimeout(left(config, begun));
        return StoreSearch.find(held.loop(), address, hurried, options)
                .flatMap(store -> form(config, held, store, begun));
    }

    /** {@return what is left of the time to wait for the others, at least a moment} */
    private Duration left(CommConfig config, long begun) {
        Duration patience =
                config.rendezvousTimeout().minusNanos(options.timers().nanoTime() - begun);
        return patience.toMillis() < 1 ? Duration.ofMillis(1) : patience;
    }

    private Mono<Mesh> form(CommConfig config, Holdings held, StoreClient store, long begun) {
        MeshFormation formation = new MeshFormation(config, options, held, store);
        InetAddress host = store.localAddress().getAddress();
        Mono<Channel> data = listen(held.loop(), host, config, formation.dataDoor());
        Mono<Channel> control = listen(held.control(), host, config, formation.controlDoor());
        Duration left = left(config, begun);
        Function<int[], Mono<Roster>> join = ports -> store.join(
                new Arrival(
                        new Roster.Entry(
                                config.rank(),
                                config.worldSize(),
                                host.getHostAddress(),
                                ports[0],
                                ports[1],
                                left.toMillis()),
                        config.agreed()),
                left);
        return Mono.zip(data, control)
                .doOnNext(both -> held.loop().execute(() -> {
                    formation.add(both.getT1());
                    formation.add(both.getT2());
                }))
                .flatMap(both -> join.apply(new int[] {portOf(both.getT1()), portOf(both.getT2())}))
                .delayUntil(_ -> Mono.fromRunnable(held::removeFile).subscribeOn(Schedulers.boundedElastic()))
                .flatMap(roster -> Mono.create(sink -> held.loop().execute(() -> formation.begin(roster, sink))));
    }

    private static int portOf(Channel listener) {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private Mono<Channel> listen(NettyLoop on, InetAddress host, CommConfig config, RankDoor door) {
        return Mono.create(sink -> {
            StrangerLog strangers = new StrangerLog("rank " + config.rank(), on.eventLoop(), options.timers());
            ChannelFuture bound = GuardedListener.bind(
                    on,
                    new InetSocketAddress(host, 0),
                    options.version(),
                    config.token(),
                    options.timers(),
                    strangers,
                    false,
                    door);
            bound.addListener(done -> {
                if (done.isSuccess()) {
                    sink.success(bound.channel());
                } else {
                    sink.error(new RendezvousException(
                            "a rank cannot listen: rank=" + config.rank() + ", address=" + host.getHostAddress()
                                    + ", cause=" + done.cause().getMessage(),
                            done.cause()));
                }
            });
        });
    }
}
