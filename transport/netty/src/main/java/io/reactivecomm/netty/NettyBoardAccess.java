package io.reactivecomm.netty;

import io.netty.channel.Channel;
import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.netty.internal.connection.Dialer;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.NotAdmittedException;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.Addresses;
import io.reactivecomm.netty.internal.host.HostAddresses;
import io.reactivecomm.netty.internal.host.UserDirectories;
import io.reactivecomm.netty.internal.rendezvous.Blocking;
import io.reactivecomm.netty.internal.rendezvous.TokenFile;
import io.reactivecomm.netty.internal.store.WatchClient;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.BoardAccess;
import io.reactivecomm.spi.BoardReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** Access to the boards of jobs through their stores. The watcher is no rank; it needs the token of the job, and a machine from which a rank could join. */
public final class NettyBoardAccess implements BoardAccess {

    private final TransportOptions options;

    /** For {@link java.util.ServiceLoader}. */
    public NettyBoardAccess() {
        this(TransportOptions.DEFAULT);
    }

    NettyBoardAccess(TransportOptions options) {
        this.options = options;
    }

    /** The place of a store, and what admits to it. */
    private record Target(
            InetSocketAddress address, @Nullable String token, Encryption encryption) {

        /** {@return the place without the token} */
        @Override
        public String toString() {
            return "Target[address=" + address + ", token=" + (token == null ? "none" : "set") + "]";
        }
    }

    @Override
    public Mono<BoardReader> open(CommConfig place) {
        return Blocking.call(() -> target(place)).flatMap(Attempt.step(this::connect));
    }

    private Target target(CommConfig place) {
        InetSocketAddress address = HostAddresses.reachable(place.host(), place.port());
        String token = TokenFile.guards(address, place)
                ? new TokenFile(address, options.directories()).read().orElse(null)
                : place.token();
        Addresses.requireAllowed(address, token, place.encryption());
        return new Target(address, token, place.encryption());
    }

    private Mono<BoardReader> connect(Target target) {
        NettyLoop loop = NettyLoop.start("rcomm-watch", options.sockets());
        return Attempt.<BoardReader>create(sink -> loop.execute(Attempt.task(sink, () -> {
                    Handshake.Claim claim = new Handshake.Claim(
                            Handshake.Purpose.WATCH,
                            options.version(),
                            WatchClient.NO_RANK,
                            0,
                            Handshake.STORE,
                            new byte[Handshake.JOB_BYTES]);
                    Dialer.Target call =
                            new Dialer.Target(target.address, target.encryption, Dialer.Token.of(target.token), claim);
                    Dialer.dial(loop, call, options, new Dialer.Outcome() {
                        @Override
                        public void connected(Channel channel) {
                            sink.success(new WatchClient(loop, channel, options.timers()));
                        }

                        @Override
                        public void failed(Throwable problem) {
                            sink.error(told(target, problem));
                        }
                    });
                })))
                .doFinally(end -> {
                    if (end != SignalType.ON_COMPLETE) {
                        loop.stop();
                    }
                });
    }

    private static RendezvousException told(Target target, Throwable problem) {
        String address = Addresses.text(target.address);
        return switch (problem) {
            case NotAdmittedException refused ->
                new RendezvousException(
                        "not admitted to watch the job, the token differs: address=" + address + ", token="
                                + (target.token == null ? "none" : "set") + "; give the job's own token in RCOMM_TOKEN",
                        refused);
            case RendezvousException known -> known;
            default ->
                new RendezvousException(
                        "cannot reach the job's store to watch it: address=" + address + ", cause="
                                + CommException.textOf(problem)
                                + "; check that the job runs, and that this is where its ranks met",
                        problem);
        };
    }

    @Override
    public List<StoreAddress> jobsHere() {
        if (!UserDirectories.areSafeHere()) {
            return List.of();
        }
        try {
            return TokenFile.all(options.directories()).stream()
                    .map(each -> new StoreAddress(each.host(), each.port(), false))
                    .toList();
        } catch (IOException e) {
            throw new RendezvousException(
                    "cannot look for jobs on this machine: cause=" + CommException.textOf(e)
                            + "; name the job's address",
                    e);
        }
    }
}
