package io.reactivecomm.netty;

import io.netty.channel.Channel;
import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.LoopWatchdog;
import io.reactivecomm.spi.Mesh;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/**
 * Connects a rank with all others: it listens for those above it and dials those below, for data on the loop and for control on the
 * control thread. Both listeners accept nobody until the roster is there, and are closed once all have come. Lanes are dialled one after the
 * other, when the link's own connection is there: so each finds its link on both sides, and in its order.
 *
 * <p><b>Threads.</b> The loop, unless a method says otherwise.
 */
final class MeshFormation implements ControlLinks.Listener {

    /** The others are there already, so this is short however patient the configuration is. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final CommConfig config;
    private final TcpTransport.Options options;
    private final Holdings held;
    private final StoreClient store;
    private final ControlLinks controlLinks;
    private final RankDoor dataDoor;
    private final RankDoor controlDoor;
    private final @Nullable TcpLink[] links;
    private final int lanes;
    private final BitSet controlled = new BitSet();
    private final List<Channel> listeners = new ArrayList<>();
    private @Nullable MonoSink<Mesh> sink;
    private Loop.@Nullable Timer patience;
    private boolean congestionRefused;
    private int hosts;

    MeshFormation(CommConfig config, TcpTransport.Options options, Holdings held, StoreClient store) {
        this.config = config;
        this.options = options;
        this.held = held;
        this.store = store;
        this.links = new TcpLink[config.worldSize()];
        this.lanes = Lanes.besides(config.tuning().lanes());
        this.controlLinks =
                new ControlLinks(held.control(), options.timers(), new LoopWatchdog(held.loop()), config.rank(), this);
        held.hold(controlLinks);
        dataDoor = new RankDoor(Handshake.Purpose.DATA, options.version(), config.rank(), lanes, this::linked);
        controlDoor = new RankDoor(
                Handshake.Purpose.CONTROL, options.version(), config.rank(), 0, (peer, _, channel) -> controlled(peer, channel));
    }

    RankDoor dataDoor() {
        return dataDoor;
    }

    RankDoor controlDoor() {
        return controlDoor;
    }

    /** Has a bound listener accept once there is a roster. */
    void add(Channel listener) {
        listeners.add(listener);
    }

    /** Connects all; the sink gets the mesh, or a {@link RendezvousException}. */
    void begin(Roster roster, MonoSink<Mesh> sink) {
        this.sink = sink;
        sink.onCancel(() -> onLoop(() -> giveUp("the attempt to connect was cancelled")));
        if (roster.entries().size() != config.worldSize()) {
            fail("the roster is of another world: worldSize=" + config.worldSize() + ", roster="
                    + roster.entries().size());
            return;
        }
        patience = options.timers().schedule(held.loop().eventLoop(), this::runOut, PATIENCE_NANOS);
        hosts = roster.hosts();
        boolean isCrowded = roster.ranksBeside(config.rank()) > Runtime.getRuntime().availableProcessors();
        held.loop().wait(config.tuning().waiting(), isCrowded);
        dataDoor.open(roster);
        held.control().execute(() -> controlDoor.open(roster));
        listeners.forEach(listener -> listener.config().setAutoRead(true));
        for (Roster.Entry peer : roster.entries().subList(0, config.rank())) {
            dialLink(peer, 0, roster.job());
            Handshake.Claim control = claim(Handshake.Purpose.CONTROL, 0, roster.job());
            dial(held.control(), addressOf(peer, peer.controlPort()), control, channel -> controlled(peer.rank(), channel));
        }
        completeIfWhole();
    }

    private Handshake.Claim claim(Handshake.Purpose purpose, int lane, byte[] job) {
        return new Handshake.Claim(purpose, options.version(), config.rank(), lane, job);
    }

    private static InetSocketAddress addressOf(Roster.Entry peer, int port) {
        return new InetSocketAddress(peer.host(), port);
    }

    /** Dials one connection of a link, then the next. */
    private void dialLink(Roster.Entry peer, int lane, byte[] job) {
        InetSocketAddress address = addressOf(peer, peer.dataPort());
        dial(held.loop(), address, claim(Handshake.Purpose.DATA, lane, job), channel -> {
            linked(peer.rank(), lane, channel);
            if (sink != null && lane < lanes) {
                dialLink(peer, lane + 1, job);
            }
        });
    }

    private void dial(NettyLoop on, InetSocketAddress address, Handshake.Claim claim, Consumer<Channel> connected) {
        Dialer.Call call = new Dialer.Call(address, options.version(), config.token(), claim);
        Dialer.dial(on, call, options.timers(), new Dialer.Outcome() {
            @Override
            public void connected(Channel channel) {
                connected.accept(channel);
            }

            @Override
            public void failed(Throwable problem) {
                if (problem instanceof RendezvousException) {
                    onLoop(() -> fail(String.valueOf(problem.getMessage())));
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
        congestionRefused = congestionRefused || held.loop().sockets().askFor(config.tuning().congestion(), channel);
    }

    private TcpLink newLink(int peer, Channel channel, ReceiveSteering steering) {
        TcpLink link = new TcpLink(peer, channel, steering, options.timers(), new Lanes(lanes));
        link.whenEnded(() -> controlLinks.leave(peer));
        return link;
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
            end();
            held.handOver();
            String host = config.hostId() == null ? ThisHost.identity() : config.hostId();
            sink.success(new TcpMesh(config.rank(), host, hosts, links, held, store));
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

    private boolean isConnected(int peer) {
        TcpLink link = links[peer];
        return link != null && link.isWhole() && controlled.get(peer);
    }

    private void runOut() {
        fail("ranks joined but cannot be connected: rank=" + config.rank() + ", missing=" + missing() + ", worldSize="
                + config.worldSize() + ", waited=" + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                + " s; check that they still run and that no firewall is between the ranks");
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
        onLoop(() -> options.timers().schedule(held.loop().eventLoop(), () -> lost(peer, cause), TcpLink.GOODBYE_NANOS));
    }

    /** On the control thread. */
    @Override
    public void silent(int peer, String cause) {
        onLoop(() -> lost(peer, cause));
    }

    private void lost(int peer, String cause) {
        TcpLink link = links[peer];
        if (link != null && (sink == null || link.isWhole())) {
            link.fail(cause);
        } else {
            fail("a rank was lost while the ranks connected: rank=" + config.rank() + ", peer=" + peer + ", cause="
                    + cause);
        }
    }

    private void onLoop(Runnable task) {
        held.loop().execute(task);
    }
}
