package io.reactivecomm.spi.link;

import static io.reactivecomm.spi.link.FrameLayout.*;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Writes the frames of one direction of a link: openings of calls that follow each other share a frame.
 *
 * <p>A program that begins a thousand small calls in a row says the same of each but its number and its bytes. The first is written in full;
 * each that follows it adds its bytes to a {@code RUN}, which {@code FrameLayout} draws, and {@link FrameReader} makes openings of it again.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class FrameWriter {

    private static final int NONE = -1;

    /** What the reader knows of the last opening. */
    private @Nullable Successor expected;
    /** Where the run begins in the buffer to which more can be added, or {@link #NONE}. */
    private int runAt = NONE;

    private int runEnd;
    private int runCount;

    /** {@return a number of bytes in which {@link #write} surely has room for the frame} */
    public int lengthBound(Frame frame) {
        return FrameEncoder.lengthBound(frame);
    }

    /**
     * Writes a frame, or the header of a {@link Frame.Data}, at the buffer's position and moves that past it.
     *
     * @param into the buffer of the write before, unless {@link #cut} was called since
     * @throws IllegalArgumentException as {@link FrameCodec#encode}
     */
    public void write(Frame frame, ByteBuffer into) {
        int at = into.position();
        boolean isWritten = false;
        try {
            if (frame instanceof Frame.Open open) {
                writeOpen(open, into);
            } else {
                FrameEncoder.encode(frame, into);
            }
            isWritten = true;
        } finally {
            if (!isWritten) {
                // Eager bytes whose memory is gone: what was written before is whole, and nothing is added to it.
                into.position(at);
                cut();
            }
        }
    }

    /** What has been written leaves: nothing more is added to it. */
    public void cut() {
        runAt = NONE;
    }

    private void writeOpen(Frame.Open open, ByteBuffer into) {
        Successor next = expected;
        if (next != null && next.is(open)) {
            addToRun(open, next, into.order(ByteOrder.LITTLE_ENDIAN));
            next.moveOn();
        } else {
            FrameEncoder.encode(open, into);
            expected = Successor.of(open);
        }
    }

    private void addToRun(Frame.Open open, Successor next, ByteBuffer into) {
        int entryBytes = NUMBER_BYTES + next.eagerBytes();
        boolean isOpenEnded = runAt != NONE
                && runEnd == into.position()
                && runEnd - runAt + entryBytes <= FrameCodec.MAX_CONTROL_BYTES;
        if (!isOpenEnded) {
            runAt = into.position();
            runCount = 0;
            into.putInt(0).putInt(RUN).putInt(0).putInt(next.eagerBytes());
        }
        into.putLong(open.peerCall());
        if (next.eagerBytes() > 0) {
            FrameEncoder.putBytes(open.edges().getFirst().eager(), into);
        }
        runEnd = into.position();
        into.putInt(runAt + LENGTH_OFFSET, runEnd - runAt);
        into.putInt(runAt + RUN_COUNT_OFFSET, ++runCount);
    }
}
