package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.Channel;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.LiveBoard;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import reactor.core.publisher.Mono;

/**
 * The store as a rank sees it: its operations, the roll call, and the board for those who watch.
 *
 * <p><b>Threads.</b> Its methods may be called from any thread; signals come on the loop.
 */
public final class StoreClient implements Rendezvous, LiveBoard {

    /** No job runs longer. */
    private static final Duration UNWATCHED = Duration.ofDays(365);

    private final StoreConnection connection;
    private final int rank;

    /** The receiver, on the loop, of the ranks that left while the ranks connect. */
    public interface DepartureListener {

        DepartureListener NONE = new DepartureListener() {};

        /** A rank's connection to the store has ended. */
        default void left(int rank, String origin) {}

        /** This rank's own has. */
        default void storeLeft() {}

        /** A watcher's last page of the board, before the store goes. */
        default void lastPage(byte[] page) {}
    }

    /** Takes over an admitted connection; called on the loop. */
    public StoreClient(NettyLoop loop, Channel channel, Timers timers, int rank) {
        this.connection = new StoreConnection(loop, channel, timers, rank);
        this.rank = rank;
    }

    /** {@return the thread on which answers come} */
    NettyLoop loop() {
        return connection.loop();
    }

    /** From now on tells of departures; on the loop. */
    public void tell(DepartureListener listener) {
        connection.tell(listener);
    }

    /** {@return the address of this machine by which the store is reached, and so may others reach this rank} */
    public InetSocketAddress localAddress() {
        return connection.localAddress();
    }

    /**
     * {@return the whole world, once all ranks have joined}
     *
     * @param patience how long the store itself waits; this waits a little longer for its answer
     */
    public Mono<Roster> join(JoinRequest arrival, Duration patience) {
        LongFunction<StorePacket> request = id -> new StorePacket(
                StorePacket.JOIN, id, arrival.entry().rank(), new byte[0], arrival.encode(), new byte[0]);
        return askPatiently(request, patience).flatMap(Attempt.step(reply -> Mono.just(Roster.decode(reply.value()))));
    }

    /** Tells the store that this rank is connected with all others; on the loop. */
    public void sayConnected() {
        connection.send(StorePacket.of(StorePacket.CONNECTED, 0, 0));
    }

    /** What the store answers within that time, be it that there is nothing to answer: this waits a little longer. */
    private Mono<StorePacket> askPatiently(LongFunction<StorePacket> request, Duration patience) {
        String late = "the store does not answer: rank=" + rank + ", waited=" + patience.toMillis() / 1000.0
                + " s; check the process that runs it";
        return connection.ask(request, patience.plusSeconds(1), late);
    }

    @Override
    public Mono<Void> set(String key, byte[] value) {
        return ask(id -> keyed(StorePacket.SET, id, key, value, new byte[0])).then();
    }

    @Override
    public Mono<byte[]> get(String key, Duration deadline) {
        String late = "a key was not set in the store: key=" + key + ", rank=" + rank + ", waited="
                + deadline.toMillis() / 1000.0 + " s; check the rank that sets it, or wait longer";
        return connection
                .ask(id -> StorePacket.keyed(StorePacket.GET, id, 0, key), deadline, late)
                .map(StorePacket::value);
    }

    @Override
    public Mono<Long> add(String key, long amount) {
        return ask(id -> StorePacket.keyed(StorePacket.ADD, id, amount, key)).map(StorePacket::number);
    }

    @Override
    public Mono<Long> append(String key, byte[] value) {
        return ask(id -> keyed(StorePacket.APPEND, id, key, value, new byte[0])).map(StorePacket::number);
    }

    @Override
    public Mono<Optional<byte[]>> compareSet(String key, byte[] expected, byte[] desired) {
        return ask(id -> keyed(StorePacket.COMPARE_SET, id, key, desired, expected))
                .map(reply -> reply.type() == StorePacket.NONE ? Optional.empty() : Optional.of(reply.value()));
    }

    @Override
    public Mono<Boolean> delete(String key) {
        return ask(id -> StorePacket.keyed(StorePacket.DELETE, id, 0, key)).map(reply -> reply.number() == 1);
    }

    @Override
    public Mono<Boolean> check(Collection<String> keys) {
        return ask(id -> StorePacket.of(StorePacket.CHECK, id, NameList.encode(keys)))
                .map(reply -> reply.number() == 1);
    }

    @Override
    public Mono<Void> await(Collection<String> keys, Duration deadline) {
        LongFunction<StorePacket> request = id -> new StorePacket(
                StorePacket.AWAIT, id, deadline.toMillis(), new byte[0], NameList.encode(keys), new byte[0]);
        return askPatiently(request, deadline).then();
    }

    @Override
    public Mono<List<String>> list(String prefix, int limit) {
        if (limit < 1 || limit > MAX_KEYS) {
            return Mono.error(() -> new RendezvousException(NameList.limitOutOfRange(limit)));
        }
        return ask(id -> StorePacket.keyed(StorePacket.LIST, id, limit, prefix))
                .map(reply -> NameList.decode(reply.value()));
    }

    @Override
    public Mono<Long> push(String queue, byte[] value) {
        return ask(id -> keyed(StorePacket.PUSH, id, queue, value, new byte[0])).map(StorePacket::number);
    }

    @Override
    public Mono<byte[]> pop(String queue, Duration deadline) {
        return askPatiently(id -> StorePacket.keyed(StorePacket.POP, id, deadline.toMillis(), queue), deadline)
                .map(StorePacket::value);
    }

    @Override
    public Mono<Duration> watched() {
        return connection
                .ask(id -> StorePacket.of(StorePacket.WATCHED, id, 0), UNWATCHED, "nobody has watched: rank=" + rank)
                .map(reply -> Duration.ofMillis(reply.number()));
    }

    @Override
    public Mono<Duration> publish(byte[] record) {
        return ask(id -> StorePacket.of(StorePacket.PUBLISH, id, record))
                .map(reply -> Duration.ofMillis(reply.number()));
    }

    private static StorePacket keyed(byte type, long id, String key, byte[] value, byte[] expected) {
        if (value.length > MAX_VALUE_BYTES || expected.length > MAX_VALUE_BYTES) {
            throw new RendezvousException(
                    "value is too long for the store: key=" + key + ", bytes=" + Math.max(value.length, expected.length)
                            + ", most=" + MAX_VALUE_BYTES + "; use a collective for data");
        }
        return new StorePacket(type, id, 0, key.getBytes(UTF_8), value, expected);
    }

    /** What the store answers at once, or never: a minute is long for it. */
    private Mono<StorePacket> ask(LongFunction<StorePacket> request) {
        return connection.ask(
                request,
                Duration.ofMinutes(1),
                "the store does not answer: rank=" + rank + "; check the process that runs it");
    }

    void close() {
        connection.close();
    }
}
