package io.reactivecomm.netty.internal.link;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.netty.internal.connection.Dialer;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.ReceiveSteering;
import io.reactivecomm.netty.internal.connection.StrangerLog;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.RankAddress;
import io.reactivecomm.netty.internal.host.ThisHost;
import io.reactivecomm.netty.internal.life.ControlLinks;
import io.reactivecomm.netty.internal.life.FailureDetector;
import io.reactivecomm.netty.internal.life.HeartbeatDatagrams;
import io.reactivecomm.netty.internal.life.HeartbeatMac;
import io.reactivecomm.netty.internal.life.HeartbeatTerms;
import io.reactivecomm.netty.internal.life.PeerNewsRelay;
import io.reactivecomm.netty.internal.rendezvous.TransportResources;
import io.reactivecomm.netty.internal.store.RollCall;
import io.reactivecomm.netty.internal.store.Roster;
import io.reactivecomm.netty.internal.store.StoreClient;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.LoopWatchdog;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.link.PeerNews;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Connects a rank with all others: it listens for those above it and dials those below, for data on the loop and for control on the
 * control thread. Both listeners accept nobody until the roster is there, and are closed once all have come. Lanes are dialled one after
 * the other, when the link's own connection is there: so each finds its link on both sides, and in its order.
 *
 * <p><b>Threads.</b> The loop, unless a method says otherwise.
 */
public final class MeshFormation implements ControlLinks.Listener, StoreClient.DepartureListener {

    private static final Logger LOG = WarningLog.of(MeshFormation.class);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final int MOST_TOLD = 8;

    private final CommConfig config;
    private final TransportOptions options;
    private final TransportResources held;
    private final StoreClient store;
    private final RankAddress own;
    private final ControlLinks controlLinks;
    private final RankAcceptor dataAcceptor;
    private final RankAcceptor controlAcceptor;
    private final HeartbeatDatagrams datagrams;
    private final PeerNewsRelay relay = new PeerNewsRelay();
    private final @Nullable TcpLink[] links;
    private final int lanes;
    private final BitSet controlled = new BitSet();
    private final Map<Integer, String> left = new HashMap<>();
    private final List<Channel> listeners = new ArrayList<>();
    private @Nullable MonoSink<Mesh> sink;
    private Loop.@Nullable Timer patience;
    private boolean congestionRefused;
    /** Written before the roster is asked for. */
    private volatile @Nullable Channel beats;

    private String worldId = "";
    private List<Integer> hosts = List.of();
    private List<String> addresses = List.of();

    public MeshFormation(
            CommConfig config, TransportOptions options, TransportResources held, StoreClient store, RankAddress own) {
        this.config = config;
        this.options = options;
        this.held = held;
        this.store = store;
        this.own = own;
        this.links = new TcpLink[config.worldSize()];
        this.lanes = LaneSet.besides(config.tuning().lanes());
        this.datagrams = new HeartbeatDatagrams(
                config.rank(),
                new StrangerLog("rank " + config.rank(), held.control().eventLoop(), options.timers()));
        HeartbeatTerms terms = HeartbeatTerms.of(config.timeouts());
        this.controlLinks = new ControlLinks(
                held.control(),
                options.timers(),
                new LoopWatchdog(held.loop()),
                terms,
                new FailureDetector(config.rank(), config.worldSize(), terms),
                datagrams,
                config.rank(),
                this);
        held.hold(controlLinks);
        dataAcceptor = new RankAcceptor(
                Handshake.Purpose.DATA, options.version(), config.rank(), lanes, this::linked, this::disagreed);
        controlAcceptor = new RankAcceptor(
                Handshake.Purpose.CONTROL,
                options.version(),
                config.rank(),
                0,
                (peer, _, channel) -> controlled(peer, channel),
                this::disagreed);
    }

    public RankAcceptor dataAcceptor() {
        return dataAcceptor;
    }

    public RankAcceptor controlAcceptor() {
        return controlAcceptor;
    }

    /** {@return where this rank takes heartbeats as datagrams from now on, or 0 if the system gives it no socket for them} */
    public Mono<Integer> bindDatagrams() {
        return Mono.create(sink -> {
            ChannelFuture bound = datagrams.bind(held.control(), own.address());
            bound.addListener(done -> {
                if (done.isSuccess()) {
                    beats = bound.channel();
                    sink.success(((InetSocketAddress) bound.channel().localAddress()).getPort());
                } else {
                    LOG.warn(
                            "heartbeats go by connections alone: rank={}, cause={}",
                            config.rank(),
                            CommException.textOf(done.cause()));
                    sink.success(0);
                }
            });
        });
    }

    /** Has a bound listener accept once there is a roster. */
    public void add(Channel listener) {
        listeners.add(listener);
    }

    /** Connects all; the sink gets the mesh, or a {@link RendezvousException}. */
    public void begin(Roster roster, MonoSink<Mesh> sink) {
        this.sink = sink;
        sink.onCancel(() -> onLoop(() -> giveUp("the attempt to connect was cancelled")));
        if (roster.entries().size() != config.worldSize()) {
            fail("the roster is of another world: worldSize=" + config.worldSize() + ", roster="
                    + roster.entries().size() + "; start all ranks with one WORLD_SIZE");
            return;
        }
        patience = options.timers().schedule(held.loop().eventLoop(), this::runOut, Roster.CONNECT_NANOS);
        worldId = roster.worldId();
        hosts = roster.hosts();
        addresses = roster.entries().stream().map(Roster.Entry::host).toList();
        boolean isCrowded =
                roster.ranksBeside(config.rank()) > Runtime.getRuntime().availableProcessors();
        held.loop().wait(config.tuning().waiting(), isCrowded);
        dataAcceptor.open(roster);
        held.control().execute(() -> {
            controlAcceptor.open(roster);
            openDatagrams(roster);
        });
        listeners.forEach(listener -> listener.config().setAutoRead(true));
        for (Roster.Entry peer : roster.entries().subList(0, config.rank())) {
            dialLink(peer, 0, roster.job());
            Handshake.Claim control = claim(Handshake.Purpose.CONTROL, peer.rank(), 0, roster.job());
            dial(
                    held.control(),
                    own.peer(peer.host(), peer.controlPort()),
                    control,
                    channel -> controlled(peer.rank(), channel));
        }
        left.keySet().forEach(this::awaitConnections);
        completeIfWhole();
    }

    private void openDatagrams(Roster roster) {
        Channel bound = beats;
        if (bound != null) {
            datagrams.open(roster, own, new HeartbeatMac(config.token(), roster.job()), bound, controlLinks::heard);
        }
    }

    private Handshake.Claim claim(Handshake.Purpose purpose, int target, int lane, byte[] job) {
        return new Handshake.Claim(purpose, options.version(), config.rank(), lane, target, job);
    }

    /** Dials one connection of a link, then the next. */
    private void dialLink(Roster.Entry peer, int lane, byte[] job) {
        InetSocketAddress address = own.peer(peer.host(), peer.dataPort());
        dial(held.loop(), address, claim(Handshake.Purpose.DATA, peer.rank(), lane, job), channel -> {
            linked(peer.rank(), lane, channel);
            if (sink != null && lane < lanes) {
                dialLink(peer, lane + 1, job);
            }
        });
    }

    private void dial(NettyLoop on, InetSocketAddress address, Handshake.Claim claim, Consumer<Channel> connected) {
        Dialer.Target call = new Dialer.Target(
                address, config.encryption(), Dialer.Token.of(config.token()), claim, own.source(address));
        Dialer.dial(on, call, options, new Dialer.Outcome() {
            @Override
            public void connected(Channel channel) {
                connected.accept(channel);
            }

            @Override
            public void failed(Throwable problem) {
                if (problem instanceof RendezvousException) {
                    onLoop(() -> fail(CommException.textOf(problem)));
                } else {
                    options.timers().schedule(on.eventLoop(), () -> dial(on, address, claim, connected), RETRY_NANOS);
                }
            }
        });
    }

    private void linked(int peer, int lane, Channel channel) {
        if (sink == null) {
            // The attempt is over: a link made now would have nobody to end it.
            channel.close();
            return;
        }
        askForCongestion(channel);
        ReceiveSteering steering = GuardedListener.steeringOf(channel);
        TcpLink link = links[peer];
        if (link == null) {
            links[peer] = newLink(peer, channel, steering);
        } else {
            link.addLane(channel, steering);
        }
        // Only now, so that bytes which came behind the handshake go to the link.
        channel.pipeline().remove(PacketDecoder.class);
        completeIfWhole();
    }

    /** A system that has refused once is not asked again, and a world of a thousand ranks told of it once. */
    private void askForCongestion(Channel channel) {
        congestionRefused = congestionRefused
                || held.loop().sockets().askFor(config.tuning().congestion(), channel);
    }

    private TcpLink newLink(int peer, Channel channel, ReceiveSteering steering) {
        TcpLink link = new TcpLink(peer, channel, steering, options.timers(), new LaneSet(lanes));
        link.whenEnded(() -> controlLinks.leave(peer));
        link.ask(end -> controlLinks.afterNews(() -> onLoopOrHere(end)));
        return link;
    }

    /** On either thread. */
    private void disagreed(String text) {
        onLoop(() -> fail(text));
    }

    /** On the control thread. */
    private void controlled(int peer, Channel channel) {
        controlLinks.add(peer, channel);
        onLoop(() -> {
            controlled.set(peer);
            completeIfWhole();
        });
    }

    private void completeIfWhole() {
        if (sink != null && missing().isEmpty()) {
            TcpMesh mesh =
                    new TcpMesh(config.rank(), worldId, ThisHost.identity(config), hosts, links, held, store, relay);
            LOG.info(
                    "connected: rank={}, worldSize={}, address={}, sockets={}, encrypted={}",
                    mesh.rank(),
                    mesh.worldSize(),
                    own.address().getHostAddress(),
                    options.sockets(),
                    mesh.encrypted());
            end();
            held.handOver();
            sink.success(mesh);
            sink = null;
        }
    }

    private List<Integer> missing() {
        List<Integer> missing = new ArrayList<>();
        for (int peer = 0; peer < links.length; peer++) {
            if (peer != config.rank() && !isConnected(peer)) {
                missing.add(peer);
            }
        }
        return missing;
    }

    /** {@return where those that are missing listen, or the first of them} */
    private List<String> missingAddresses() {
        return missing().stream()
                .limit(MOST_TOLD)
                .map(peer -> addresses.get(peer))
                .toList();
    }

    private boolean isConnected(int peer) {
        TcpLink link = links[peer];
        return link != null && link.isWhole() && controlled.get(peer);
    }

    private void runOut() {
        fail("ranks joined but cannot be connected: rank=" + config.rank() + ", missing=" + missing() + ", worldSize="
                + config.worldSize() + ", waited=" + TimeUnit.NANOSECONDS.toSeconds(Roster.CONNECT_NANOS)
                + " s, own=" + own.address().getHostAddress() + ", theirs=" + missingAddresses()
                + "; check that they still run, that no firewall is between the ranks, and that these addresses are of one network"
                + (own.asked() == null ? "" : ", which is RCOMM_INTERFACE=" + own.asked() + " here"));
    }

    private void fail(String text) {
        MonoSink<Mesh> to = sink;
        if (to != null) {
            giveUp(text);
            to.error(new RendezvousException(text));
        }
    }

    /** Ends the attempt and its links, each of which holds a buffer that the end of its channel alone does not free. */
    private void giveUp(String cause) {
        if (sink == null) {
            return;
        }
        sink = null;
        end();
        for (TcpLink link : links) {
            if (link != null) {
                link.fail(cause);
            }
        }
    }

    private void end() {
        listeners.forEach(Channel::close);
        listeners.clear();
        if (patience != null) {
            patience.cancel();
        }
    }

    /** On the control thread. */
    @Override
    public void vanished(int peer, String cause) {
        onLoop(() ->
                options.timers().schedule(held.loop().eventLoop(), () -> lost(peer, cause), TcpLink.GOODBYE_NANOS));
    }

    /** On the control thread. What is on this rank's loop ends, by name. */
    @Override
    public void failed(Throwable problem) {
        onLoop(() -> held.loop().fatalErrors().tell(problem, config.rank()));
    }

    /** On the control thread. */
    @Override
    public boolean hearsOfClocks() {
        return relay.hearsOfClocks();
    }

    /** On the control thread. */
    @Override
    public void found(PeerNews news) {
        onLoop(() -> {
            switch (news) {
                case PeerNews.Lost lost -> take(news, lost.rank(), lost.cause());
                case PeerNews.Cut cut -> take(news, cut.peer(), cut.cause());
                case PeerNews.HeldUp ignored -> relay.tell(news);
                case PeerNews.ClockCompared ignored -> relay.tell(news);
            }
        });
    }

    private void take(PeerNews news, int peer, String cause) {
        TcpLink link = links[peer];
        if (sink != null && (link == null || !link.isWhole())) {
            lost(peer, cause);
            return;
        }
        relay.tell(news);
        if (link != null) {
            // The engine has a moment for what it has to say; whatever it does, the link is down then.
            options.timers().schedule(held.loop().eventLoop(), () -> link.fail(cause), TcpLink.GOODBYE_NANOS);
        }
    }

    @Override
    public void left(int peer, String origin) {
        left.put(peer, origin);
        awaitConnections(peer);
    }

    @Override
    public void storeLeft() {
        if (!config.storeHosted()) {
            left(0, "its store's address, " + StoreAddress.hostAndPort(config.host(), config.port()));
        }
    }

    /** What it sent before it went may be on its way: a rank that was connected is for its links to tell of. */
    private void awaitConnections(int peer) {
        if (sink != null && peer != config.rank() && peer >= 0 && peer < links.length) {
            options.timers().schedule(held.loop().eventLoop(), () -> missAfterAll(peer), RollCall.RETURN_NANOS);
        }
    }

    private void missAfterAll(int peer) {
        if (!isConnected(peer)) {
            fail("a rank went while the ranks connected: rank " + peer + " joined from " + left.get(peer)
                    + " and went, rank=" + config.rank() + ", worldSize=" + config.worldSize()
                    + "; see in its output why, and start all ranks again");
        }
    }

    private void lost(int peer, String cause) {
        TcpLink link = links[peer];
        if (link != null && (sink == null || link.isWhole())) {
            link.fail(cause);
        } else {
            fail("a rank was lost while the ranks connected: rank=" + config.rank() + ", peer=" + peer + ", cause="
                    + cause + "; see in that rank's output why, and start all ranks again");
        }
    }

    private void onLoop(Runnable task) {
        held.loop().execute(task);
    }

    /** Where the loop has ended no other thread cares for what was its own. */
    private void onLoopOrHere(Runnable task) {
        if (!held.loop().takes(task)) {
            task.run();
        }
    }
}
