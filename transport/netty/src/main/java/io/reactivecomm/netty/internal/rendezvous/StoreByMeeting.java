package io.reactivecomm.netty.internal.rendezvous;

import io.reactivecomm.CommConfig;
import io.reactivecomm.Meeting;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.ListenerChoice;
import io.reactivecomm.netty.internal.host.OwnAddresses;
import io.reactivecomm.netty.internal.host.RankAddressChoice;
import io.reactivecomm.netty.internal.host.ThisHost;
import io.reactivecomm.netty.internal.store.StoreServer;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.rendezvous.MeetingCodec;
import io.reactivecomm.spi.rendezvous.MeetingRecord;
import java.net.InetAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * Finds the store through an all-gather: the ranks present themselves, rank 0 opens the store where all of them reach it, and tells them where.
 *
 * <pre>
 *   round 1   all: machine, addresses, token?, plaintext?
 *             rank 0 judges, chooses, opens the store
 *   round 2   rank 0: address, port, token      the others: ready
 * </pre>
 *
 * <p><b>Errors.</b> {@link RendezvousException}, within the rendezvous timeout; that of this rank alone is told to the others by whoever gave the
 * all-gather ({@link io.reactivecomm.spi.rendezvous.MeetingRounds}). In either round a rank may say that it does not join, which is the error of all who hear it.
 *
 * <p><b>Threads.</b> Interfaces and names are looked up on a thread that may block.
 */
public final class StoreByMeeting {

    private static final Logger LOG = WarningLog.of(StoreByMeeting.class);

    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Meeting meeting;
    private final CommConfig config;
    private final TransportResources held;
    private final TransportOptions options;
    private final RankAddressChoice listening;
    private final long begun;

    public StoreByMeeting(
            Meeting meeting,
            CommConfig config,
            TransportResources held,
            TransportOptions options,
            RankAddressChoice listening) {
        this.meeting = meeting;
        this.config = config;
        this.held = held;
        this.options = options;
        this.listening = listening;
        this.begun = options.timers().nanoTime();
    }

    /** {@return the configuration for the store's address, which is this rank's own if it is rank 0} */
    public Mono<CommConfig> meet() {
        return Blocking.call(this::hello)
                .flatMap(Attempt.step(own -> round(own, 1)))
                .flatMap(Attempt.step(heard -> config.rank() == 0 ? host(hellos(heard)) : ready(hellos(heard))))
                .flatMap(Attempt.step(own -> round(own, 2)))
                .map(this::located);
    }

    private MeetingRecord hello() {
        if (meeting.rank() != config.rank() || meeting.size() != config.worldSize()) {
            throw new RendezvousException(
                    "the all-gather is of another place than the configuration: rank=" + config.rank() + ", worldSize="
                            + config.worldSize() + ", the all-gather's rank=" + meeting.rank()
                            + ", the all-gather's size=" + meeting.size()
                            + "; leave RANK and WORLD_SIZE to it, or start one process for each of its ranks");
        }
        return new MeetingRecord.Hello(
                config.rank(), config.worldSize(), machine(), config.plaintext(), hasToken(), OwnAddresses.all());
    }

    private boolean hasToken() {
        String token = config.token();
        return token != null && !token.isEmpty();
    }

    /** Who shares a machine but not its loopback, as containers and namespaces of a network do, is on another one here. */
    private String machine() {
        String identity = config.hostId() == null ? ThisHost.identity() + " " + ThisHost.network() : config.hostId();
        return HexFormat.of().formatHex(ThisHost.digest(identity));
    }

    private List<MeetingRecord.Hello> hellos(List<MeetingRecord> heard) {
        return heard.stream()
                .map(each -> each instanceof MeetingRecord.Hello hello ? hello : unexpected(each))
                .toList();
    }

    private static <T> T unexpected(MeetingRecord record) {
        throw new RendezvousException("a rank is elsewhere in the meeting than this one: said=" + record
                + "; all ranks have to connect as often through their all-gather");
    }

    private Mono<MeetingRecord> ready(List<MeetingRecord.Hello> heard) {
        return Mono.just(new MeetingRecord.Ready(config.rank(), heard.size()));
    }

    /** {@return what rank 0 says of the store, which runs then} */
    private Mono<MeetingRecord> host(List<MeetingRecord.Hello> ranks) {
        String made = hasToken() ? null : TokenFile.newToken();
        String token = made == null ? config.token() : made;
        return Blocking.call(() -> permitted(ranks))
                // Held before an operator that may drop it: a cancellation may come at the moment in which the store is
                // there.
                .flatMap(Attempt.step(address -> StoreServer.start(
                                address.getHostAddress(), config.port(), token, config.encryption(), options)
                        .doOnNext(held::hold)))
                .map(store ->
                        new MeetingRecord.Store(0, ranks.size(), store.address().getAddress(), store.port(), made));
    }

    /** {@return where to listen, if all ranks have what that takes} */
    private InetAddress permitted(List<MeetingRecord.Hello> ranks) {
        ListenerChoice choice = new ListenerChoice(ranks, OwnAddresses::sourceTowards);
        List<Integer> withToken = those(ranks, MeetingRecord.Hello::token);
        if (!withToken.isEmpty() && withToken.size() < ranks.size()) {
            throw new RendezvousException("some ranks were given a token and some were not: with=" + some(withToken)
                    + ", without=" + some(those(ranks, rank -> !rank.token()))
                    + "; give all the same RCOMM_TOKEN, or none and rank 0 makes one up");
        }
        InetAddress address = config.host().equals(StoreAddress.CHOSEN)
                ? listening.forStore().orElseGet(choice::choose)
                : OwnAddresses.named(config.host());
        List<Integer> plain = those(ranks, MeetingRecord.Hello::plaintext);
        if (!address.isLoopbackAddress() && !plain.isEmpty() && plain.size() < ranks.size()) {
            throw new RendezvousException("RCOMM_PLAINTEXT=1 is set on some ranks: with=" + some(plain) + ", without="
                    + some(those(ranks, rank -> !rank.plaintext())) + "; set it on all ranks, or on none");
        }
        if (!address.isLoopbackAddress() && withToken.isEmpty() && !meeting.isConfidential()) {
            throw new RendezvousException(
                    "ranks meet across hosts by an all-gather that may be overheard, and no token is set: address="
                            + address.getHostAddress() + ", machines=" + choice.machines()
                            + "; set RCOMM_TOKEN to one secret on all ranks, as rcomm token makes it, or use Meeting.confidential() if the all-gather cannot be overheard");
        }
        return address;
    }

    private static List<Integer> those(List<MeetingRecord.Hello> ranks, Predicate<MeetingRecord.Hello> condition) {
        return ranks.stream().filter(condition).map(MeetingRecord.Hello::rank).toList();
    }

    /** {@return the list, or the beginning of a long one} */
    private static String some(List<Integer> ranks) {
        int listed = Math.min(ranks.size(), 16);
        return ranks.subList(0, listed) + (listed < ranks.size() ? " and " + (ranks.size() - listed) + " more" : "");
    }

    private CommConfig located(List<MeetingRecord> heard) {
        if (!(heard.getFirst() instanceof MeetingRecord.Store store)) {
            return unexpected(heard.getFirst());
        }
        for (MeetingRecord other : heard.subList(1, heard.size())) {
            if (!(other instanceof MeetingRecord.Ready)) {
                return unexpected(other);
            }
        }
        CommConfig known = config.withListener(store.address().getHostAddress(), store.port());
        return store.token() == null ? known : known.withToken(store.token());
    }

    /** {@return what all ranks say in a round} */
    private Mono<List<MeetingRecord>> round(MeetingRecord own, int round) {
        return inTime(meeting.allGather(MeetingCodec.encode(own, round)), round).map(records -> {
            List<MeetingRecord> heard = MeetingCodec.decodeAll(records, config.worldSize(), round);
            for (MeetingRecord each : heard) {
                if (each instanceof MeetingRecord.Failure failure) {
                    throw new RendezvousException(
                            "a rank does not join: rank=" + failure.culprit() + ", cause=" + failure.text());
                }
            }
            return heard;
        });
    }

    private <T> Mono<T> inTime(Mono<T> gathering, int round) {
        return Attempt.create(sink -> {
            long patience = Timers.nanos(config.rendezvousTimeout());
            long left = Math.max(1, patience - (options.timers().nanoTime() - begun));
            Loop.Timer end = options.timers().schedule(held.loop().eventLoop(), () -> sink.error(late(round)), left);
            Status status = new Status(round);
            status.begin();
            Disposable heard = gathering.subscribe(sink::success, sink::error);
            sink.onDispose(Disposables.composite(heard, end::cancel, status::end));
        });
    }

    private RendezvousException late(int round) {
        return new RendezvousException(
                "ranks are missing at the meeting: " + facts(round)
                        + "; an all-gather does not tell which: start all ranks, see their output, or raise RCOMM_RENDEZVOUS_TIMEOUT_SECONDS");
    }

    private String facts(int round) {
        long waited = TimeUnit.NANOSECONDS.toMillis(options.timers().nanoTime() - begun);
        return "rank=" + config.rank() + ", worldSize=" + config.worldSize() + ", round=" + round + " of "
                + MeetingRecord.ROUNDS + ", waited=" + waited / 1000.0 + " s";
    }

    /** The warnings of one round that takes long. */
    private final class Status {

        private final int round;
        private Loop.@Nullable Timer next;
        private boolean over;

        Status(int round) {
            this.round = round;
        }

        synchronized void begin() {
            if (!over) {
                next = options.timers().schedule(held.loop().eventLoop(), this::say, STATUS_NANOS);
            }
        }

        private void say() {
            LOG.warn("waits for the other ranks at the meeting: {}", facts(round));
            begin();
        }

        synchronized void end() {
            over = true;
            if (next != null) {
                next.cancel();
            }
        }
    }
}
