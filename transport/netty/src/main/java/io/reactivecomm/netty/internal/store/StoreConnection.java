package io.reactivecomm.netty.internal.store;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;

/**
 * A rank's connection to the store: requests and their answers, whatever they are about, and what the store tells unasked.
 *
 * <p><b>Threads.</b> Requests may be made from any thread; signals come on the loop.
 */
final class StoreConnection {

    private static final Logger LOG = WarningLog.of(StoreConnection.class);

    private final NettyLoop loop;
    private final Channel channel;
    private final Timers timers;
    private final int rank;
    /** On the loop. */
    private final Map<Long, StoreRequest> pending = new HashMap<>();

    private StoreClient.DepartureListener departures = StoreClient.DepartureListener.NONE;
    private long lastId;
    private boolean gone;

    /** Takes over an admitted connection; called on the loop. */
    StoreConnection(NettyLoop loop, Channel channel, Timers timers, int rank) {
        this.loop = loop;
        this.channel = channel;
        this.timers = timers;
        this.rank = rank;
        GuardedListener.steeringOf(channel).plainBytes(64 * 1024);
        channel.pipeline().get(PacketDecoder.class).resume(StorePacket.MAX_REPLY_BYTES);
        channel.pipeline().addLast(new Replies());
        channel.config().setAutoRead(true);
    }

    NettyLoop loop() {
        return loop;
    }

    /** From now on tells of departures; on the loop. */
    void tell(StoreClient.DepartureListener listener) {
        departures = listener;
        if (gone) {
            listener.storeLeft();
        }
    }

    InetSocketAddress localAddress() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** Sends what has no answer; on the loop. */
    void send(StorePacket packet) {
        if (!gone) {
            channel.writeAndFlush(packet.encode(channel.alloc()), channel.voidPromise());
        }
    }

    /**
     * {@return the answer to a request}
     *
     * @param request made for an id
     * @param late what to say if there is no answer within that time
     */
    Mono<StorePacket> ask(LongFunction<StorePacket> request, Duration patience, String late) {
        return Mono.defer(() -> {
            AtomicBoolean taken = new AtomicBoolean();
            return Mono.<StorePacket>create(sink -> {
                        try {
                            // Not the loop's own execute: it forgets what comes after its end, and somebody waits for
                            // this.
                            loop.eventLoop()
                                    .execute(Attempt.task(
                                            sink, () -> send(request, patience, late, new StoreRequest(sink, taken))));
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
            if (packet.key().length > Rendezvous.MAX_KEY_BYTES) {
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
            if (pending.remove(id) != null) {
                send(StorePacket.of(StorePacket.CANCEL, id, 0));
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
        if (reply.type() == StorePacket.WITHOUT) {
            departures.left(Math.toIntExact(reply.number()), reply.text());
            return;
        }
        if (reply.type() == StorePacket.PAGE && reply.id() == WatchSession.UNASKED) {
            departures.lastPage(reply.value());
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
            departures.storeLeft();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
            if (problem instanceof ProtocolException || problem.getCause() instanceof ProtocolException) {
                LOG.warn("the store broke the protocol", WarningLog.printable(problem));
            }
            context.close();
        }
    }
}
