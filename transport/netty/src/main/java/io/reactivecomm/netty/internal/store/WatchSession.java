package io.reactivecomm.netty.internal.store;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.reactivecomm.CommException;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.BoardPage;
import io.reactivecomm.spi.JobBoard;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.WarningLog;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watcher's connection to the store, at the store. It can look at the {@link JobBoard} and nothing else: keys, queues and the roll call are the ranks'.
 *
 * <p>A reply is written for a look, and when the store goes, and nothing is read while replies are not taken: so a watcher that is slow or stopped costs
 * one page, and all of them together those of one board at the end.
 *
 * <p><b>Threads.</b> The store's.
 */
final class WatchSession extends SimpleChannelInboundHandler<ByteBuf> {

    private static final Logger LOG = LoggerFactory.getLogger(WatchSession.class);

    /** The id of what no request has asked for: requests count from 1. */
    static final long UNASKED = 0;

    private static final int READ_BYTES = 512;

    private final Channel channel;
    private final JobBoard board;
    private final Timers timers;

    private final Set<WatchSession> all;

    private WatchSession(Channel channel, JobBoard board, Timers timers, Set<WatchSession> all) {
        this.channel = channel;
        this.board = board;
        this.timers = timers;
        this.all = all;
    }

    /** Takes over a connection that was admitted. @param all has it from now until it ends */
    static void begin(Channel channel, JobBoard board, Timers timers, Set<WatchSession> all) {
        WatchSession session = new WatchSession(channel, board, timers, all);
        all.add(session);
        GuardedListener.steeringOf(channel).plainBytes(READ_BYTES);
        channel.pipeline().get(PacketDecoder.class).resume(StorePacket.FIXED_BYTES);
        channel.pipeline().addLast(session);
    }

    /**
     * The store is about to go: who watches gets all pages as they are, unasked, since there is no further look. They are encoded once for all, and who does not
     * take even what was sent before gets none: so however many watchers have stopped, the store keeps the bytes of one board.
     */
    static void sayLast(Collection<WatchSession> watchers) {
        List<WatchSession> taking =
                watchers.stream().filter(each -> each.channel.isWritable()).toList();
        if (taking.isEmpty()) {
            return;
        }
        WatchSession any = taking.getFirst();
        for (BoardPage page : any.board.pages(any.timers.nanoTime())) {
            ByteBuf bytes = StorePacket.of(StorePacket.PAGE, UNASKED, BoardPacket.encode(page))
                    .encode(any.channel.alloc());
            taking.forEach(each -> each.send(bytes.retainedDuplicate()));
            bytes.release();
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        StorePacket request = StorePacket.decode(bytes);
        if (request.type() != StorePacket.LOOK) {
            throw new ProtocolException(
                    "a watcher asks for more than a look: type=" + request.type() + ", id=" + request.id());
        }
        answer(request);
    }

    private void answer(StorePacket request) {
        int first = (int) (request.number() >>> Integer.SIZE);
        Duration every = Duration.ofMillis(request.number() & 0xFFFF_FFFFL);
        try {
            byte[] page = BoardPacket.encode(board.look(this, first, every, timers.nanoTime()));
            reply(StorePacket.of(StorePacket.PAGE, request.id(), page));
        } catch (IllegalArgumentException e) {
            reply(StorePacket.failed(request.id(), CommException.textOf(e)));
        }
    }

    private void reply(StorePacket packet) {
        send(packet.encode(channel.alloc()));
    }

    private void send(ByteBuf bytes) {
        channel.writeAndFlush(bytes, channel.voidPromise());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        PacketDecoder decoder = context.pipeline().get(PacketDecoder.class);
        channel.config().setAutoRead(channel.isWritable());
        if (channel.isWritable()) {
            decoder.resume(context);
        } else {
            decoder.pause();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        all.remove(this);
        board.end(this, timers.nanoTime());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
        LOG.debug("a watcher's connection ends: remote={}", channel.remoteAddress(), WarningLog.printable(problem));
        context.close();
    }
}
