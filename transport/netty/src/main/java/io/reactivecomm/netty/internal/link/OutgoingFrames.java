package io.reactivecomm.netty.internal.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.reactivecomm.Traffic;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.FrameWriter;
import io.reactivecomm.spi.link.MappedPages;
import io.reactivecomm.spi.link.TrafficCounter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a {@link TcpLink}: turns frames into writes of a channel.
 *
 * <p>Small frames are collected in one buffer and leave in one system call a flush. A payload goes from the sender's memory to the
 * socket, in one system call with its header and the small frames before it. Where there are {@linkplain LaneSet lanes} a large one goes
 * over those, and its header stays among the frames.
 *
 * <p><b>Threads.</b> The loop.
 */
final class OutgoingFrames implements SegmentRegion.Progress {

    /** What small frames are collected in: large enough that 1,000 calls' frames are a few writes. */
    private static final int STAGING_BYTES = 128 * 1024;

    /** A payload up to this size is copied behind its header: cheaper than a system call of its own. */
    private static final int COPY_BYTES = 4 * 1024;

    /**
     * From here on payloads wait at the caller: four usual pieces, or one in bulk, after which the next is at hand when half of it has
     * left.
     */
    static final int HIGH_BYTES = 1024 * 1024;

    /** Here the caller is asked for more. */
    static final int LOW_BYTES = HIGH_BYTES / 2;

    /** A payload that was written and has not been reported as sent; without a region its bytes were copied at once. */
    private record InFlight(Frame.Data frame, @Nullable SegmentRegion region) {

        boolean isSent() {
            return region == null || region.isWhole();
        }

        boolean isLost() {
            return region != null && region.isLost();
        }
    }

    /** A payload whose memory went before all of it had left. */
    record Lost(Frame.Data frame, Throwable fault) {}

    private final Channel channel;
    private final LaneSet lanes;
    private final Sockets.GatheringWrite gather;
    private final Runnable progress;
    private final FrameWriter frames = new FrameWriter();
    private final TrafficCounter counter = new TrafficCounter();
    private final ArrayDeque<InFlight> inFlight = new ArrayDeque<>();
    private final ArrayDeque<Lost> lost = new ArrayDeque<>();
    private @Nullable ByteBuf staging;
    /** Of payloads on all connections and what was staged before them, which Netty does not count. */
    private long regionBytes;

    private boolean full;

    /**
     * Sends over that channel and those lanes.
     *
     * @param progress called when {@link #pollSent}, {@link #pollLost} or {@link #isWritable} may have changed; possibly from inside a call
     *     of this
     */
    OutgoingFrames(Channel channel, LaneSet lanes, Runnable progress) {
        this.channel = channel;
        this.lanes = lanes;
        this.gather = Sockets.gather(channel);
        this.progress = progress;
    }

    boolean isWritable() {
        return !full && channel.isWritable();
    }

    /** {@return what was handed to the channel until now} */
    Traffic traffic() {
        return counter.read();
    }

    void write(Frame frame) {
        counter.frame();
        if (frame instanceof Frame.Data data) {
            writeData(data);
        } else {
            stage(frame, frames.lengthBound(frame));
        }
    }

    private void writeData(Frame.Data data) {
        long length = data.payload().byteSize();
        if (length <= COPY_BYTES) {
            ByteBuf staged = stage(data, FrameCodec.DATA_HEADER_BYTES + (int) length + PayloadStatus.BYTES);
            copy(data.payload(), staged);
            staged.writeByte(PayloadStatus.WHOLE.code());
            inFlight.add(new InFlight(data, null));
            progress.run();
            return;
        }
        ByteBuf staged = stage(data, FrameCodec.DATA_HEADER_BYTES);
        if (lanes.carry(length)) {
            Lane lane = lanes.nextOutgoing();
            lane.write(region(data, Unpooled.EMPTY_BUFFER, lane.gather()));
        } else {
            channel.write(region(data, take(staged), gather), channel.voidPromise());
        }
    }

    /** If the payload's memory is gone its header does not leave either. */
    private static void copy(MemorySegment payload, ByteBuf staged) {
        int before = staged.writerIndex();
        int length = (int) payload.byteSize();
        int after = before - FrameCodec.DATA_HEADER_BYTES;
        try {
            // Netty's own way of copying may go by address, which does not ask whether the memory is alive.
            staged.internalNioBuffer(before, length).put(payload.asByteBuffer());
            MappedPages.hearOfThem();
            after = before + length;
        } finally {
            staged.writerIndex(after);
        }
    }

    /** {@return a payload behind what was staged before it, about to be handed to a channel} */
    private SegmentRegion region(Frame.Data data, ByteBuf before, Sockets.GatheringWrite gather) {
        SegmentRegion region = new SegmentRegion(before, data.payload(), gather, this);
        inFlight.add(new InFlight(data, region));
        regionBytes += region.count();
        full |= regionBytes >= HIGH_BYTES;
        counter.write(region.count());
        return region;
    }

    private ByteBuf stage(Frame frame, int bytes) {
        ByteBuf into = roomFor(bytes);
        int at = into.writerIndex();
        ByteBuffer view = into.internalNioBuffer(at, into.writableBytes());
        int from = view.position();
        frames.write(frame, view);
        return into.writerIndex(at + view.position() - from);
    }

    private ByteBuf roomFor(int bytes) {
        ByteBuf current = staging;
        if (current != null && current.writableBytes() >= bytes) {
            return current;
        }
        if (current != null) {
            flush();
            if (current.refCnt() == 1 && current.capacity() >= bytes) {
                return current.clear();
            }
            current.release();
        }
        ByteBuf fresh = channel.alloc().directBuffer(Math.max(STAGING_BYTES, bytes));
        staging = fresh;
        return fresh;
    }

    /** Hands the staged bytes to the channel, in front of what is written next. */
    private void emit() {
        ByteBuf staged = staging;
        if (staged != null && staged.isReadable()) {
            counter.write(staged.readableBytes());
            channel.write(take(staged), channel.voidPromise());
        }
    }

    /** {@return the bytes that are staged, which nothing is added to any more} */
    private ByteBuf take(ByteBuf staged) {
        frames.cut();
        return staged.readRetainedSlice(staged.readableBytes());
    }

    void flush() {
        emit();
        channel.flush();
        lanes.flush();
        ByteBuf staged = staging;
        if (staged != null && staged.refCnt() == 1) {
            staged.clear();
        }
    }

    void withdraw(Frame.Data frame) {
        for (InFlight sending : inFlight) {
            if (sending.frame == frame && sending.region != null) {
                sending.region.copyAside(channel.alloc());
            }
        }
    }

    @Override
    public void transferred(SegmentRegion region, long bytes) {
        regionBytes -= bytes;
        boolean reopened = full && regionBytes <= LOW_BYTES;
        full &= !reopened;
        if (reopened || region.isWhole()) {
            progress.run();
        }
    }

    @Override
    public void lost(SegmentRegion region, Throwable fault) {
        for (InFlight sending : inFlight) {
            if (sending.region == region) {
                lost.add(new Lost(sending.frame, fault));
            }
        }
        progress.run();
    }

    /** {@return a payload whose memory is gone and that was not returned before, or null; zeros may still have to leave in its place} */
    @Nullable Lost pollLost() {
        return lost.poll();
    }

    /** {@return the first written payload that has left its memory and was not returned before, or null} */
    Frame.@Nullable Data pollSent() {
        for (InFlight first = inFlight.peek(); first != null && first.isSent(); first = inFlight.peek()) {
            inFlight.remove();
            if (!first.isLost()) {
                return first.frame;
            }
        }
        return null;
    }

    /** Drops what has not left. */
    void forget() {
        for (InFlight sending : inFlight) {
            if (sending.region != null) {
                sending.region.forget();
            }
        }
        ByteBuf staged = staging;
        staging = null;
        if (staged != null) {
            staged.release();
        }
    }
}
