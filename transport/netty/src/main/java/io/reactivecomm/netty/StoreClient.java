package io.reactivecomm.netty;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.Rendezvous;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A rank's connection to the store.
 *
 * <p><b>Threads.</b> Its methods may be called from any thread; signals come on the loop.
 */
final class StoreClient implements Rendezvous {

    private static final Logger LOG = LoggerFactory.getLogger(StoreClient.class);

    private final NettyLoop loop;
    private final Channel channel;
    private final Timers timers;
    private final int rank;
    /** On the loop. */
    private final Map<Long, StoreRequest> pending = new HashMap<>();

    private long lastId;
    private boolean gone;

    /** Takes over an admitted connection; called on the loop. */
    StoreClient(NettyLoop loop, Channel channel, Timers timers, int rank) {
        this.loop = loop;
        this.channel = channel;
        this.timers = timers;
        this.rank = rank;
        GuardedListener.steeringOf(channel).plainBytes(64 * 1024);
        channel.pipeline().get(PacketDecoder.class).resume(StorePacket.MAX_REPLY_BYTES);
        channel.pipeline().addLast(new Replies());
        channel.config().setAutoRead(true);
    }

    /** {@return the thread on which answers come} */
    NettyLoop loop() {
        return loop;
    }

    /** {@return the address of this machine by which the store is reached, and so may others reach this rank} */
    InetSocketAddress localAddress() {
        return (InetSocketAddress) channel.localAddress();
    }

    /**
     * {@return the whole world, once all ranks have joined}
     *
     * @param patience how long the store itself waits; this waits a little longer for its answer
     */
    Mono<Roster> join(Arrival arrival, Duration patience) {
        LongFunction<StorePacket> request = id -> new StorePacket(
                StorePacket.JOIN, id, arrival.entry().rank(), new byte[0], arrival.encode(), new byte[0]);
        return askPatiently(request, patience).map(reply -> Roster.decode(reply.value()));
    }

    /** What the store answers within that time, be it that there is nothing to answer: this waits a little longer. */
    private Mono<StorePacket> askPatiently(LongFunction<StorePacket> request, Duration patience) {
        String late = "the store does not answer: rank=" + rank + ", waited=" + patience.toMillis() / 1000.0
                + " s; check the process that runs it";
        return ask(request, patience.plusSeconds(1), late);
    }

    @Override
    public Mono<Void> set(String key, byte[] value) {
        return ask(id -> keyed(StorePacket.SET, id, key, value, new byte[0])).then();
    }

    @Override
    public Mono<byte[]> get(String key, Duration deadline) {
        String late = "a key was not set in the store: key=" + key + ", rank=" + rank + ", waited="
                + deadline.toMillis() / 1000.0 + " s; check the rank that sets it, or wait longer";
        return ask(id -> StorePacket.keyed(StorePacket.GET, id, 0, key), deadline, late)
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
        return ask(
                request,
                Duration.ofMinutes(1),
                "the store does not answer: rank=" + rank + "; check the process that runs it");
    }

    private Mono<StorePacket> ask(LongFunction<StorePacket> request, Duration patience, String late) {
        return Mono.defer(() -> {
            AtomicBoolean taken = new AtomicBoolean();
            return Mono.<StorePacket>create(sink -> {
                        try {
                            // Not the loop's own execute: it forgets what comes after its end, and somebody waits for this.
                            loop.eventLoop().execute(() -> send(request, patience, late, new StoreRequest(sink, taken)));
                        } catch (RejectedExecutionException e) {
                            sink.error(lost());
                        }
                    })
                    .doOnNext(_ -> taken.set(true));
        });
    }

    private void send(LongFunction<StorePacket> request, Duration patience, String late, StoreRequest waiting) {
        if (gone) {
            waiting.sink.error(lost());
            return;
        }
        long id = ++lastId;
        try {
            StorePacket packet = request.apply(id);
            if (packet.key().length > MAX_KEY_BYTES) {
                throw NameList.tooLong(packet.key().length);
            }
            pending.put(id, waiting);
            Loop.Timer timer = timers.schedule(
                    loop.eventLoop(), () -> give(id, new RendezvousException(late)), Timers.nanos(patience));
            waiting.sink.onCancel(() -> waiting.over = true).onDispose(() -> abandon(id, timer, waiting));
            channel.writeAndFlush(packet.encode(channel.alloc()), channel.voidPromise());
        } catch (RuntimeException e) {
            // Of whatever kind: the caller's collection of keys is read here, and somebody waits.
            waiting.sink.error(e);
        }
    }

    private void give(long id, RendezvousException problem) {
        StoreRequest request = pending.get(id);
        if (request != null) {
            request.fail(problem);
        }
    }

    /** Called from any thread, when the request has its answer and when nobody waits for one any more. */
    private void abandon(long id, Loop.Timer timer, StoreRequest request) {
        timer.cancel();
        loop.execute(() -> {
            if (pending.remove(id) != null && !gone) {
                channel.writeAndFlush(
                        StorePacket.of(StorePacket.CANCEL, id, 0).encode(channel.alloc()), channel.voidPromise());
            }
            StorePacket item = request.item;
            if (item != null && !request.taken.get() && !gone) {
                putBack(item);
            }
        });
    }

    private RendezvousException lost() {
        return new RendezvousException("the store has gone: rank=" + rank + ", address="
                + (channel.remoteAddress() == null ? "closed" : channel.remoteAddress())
                + "; check the process that runs it, rank 0 or the launcher");
    }

    void close() {
        channel.close();
    }

    private void answer(StorePacket reply) {
        if (reply.type() == StorePacket.MISSING) {
            LOG.warn("waits for ranks: rank={}, missing={}, waited={} s", rank, reply.text(), reply.number() / 1000);
            return;
        }
        StoreRequest request = pending.remove(reply.id());
        if (reply.type() == StorePacket.ITEM && (request == null || request.over)) {
            putBack(reply);
        } else if (request != null && reply.type() == StorePacket.FAILED) {
            request.fail(new RendezvousException(reply.text()));
        } else if (request != null) {
            request.item = reply.type() == StorePacket.ITEM ? reply : null;
            request.sink.success(reply);
        }
    }

    /** Whoever waited for the value has gone: it is another's. */
    private void putBack(StorePacket item) {
        StorePacket request =
                new StorePacket(StorePacket.PUT_BACK, item.id(), 0, item.key(), item.value(), new byte[0]);
        channel.writeAndFlush(request.encode(channel.alloc()), channel.voidPromise());
    }

    private final class Replies extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
            answer(StorePacket.decode(bytes));
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            gone = true;
            List<StoreRequest> waiting = List.copyOf(pending.values());
            pending.clear();
            waiting.forEach(request -> request.fail(lost()));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
            if (problem instanceof ProtocolException || problem.getCause() instanceof ProtocolException) {
                LOG.warn("the store broke the protocol", problem);
            }
            context.close();
        }
    }
}
