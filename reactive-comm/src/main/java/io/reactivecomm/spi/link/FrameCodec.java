package io.reactivecomm.spi.link;

import static io.reactivecomm.spi.link.FrameLayout.*;

import io.reactivecomm.spi.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Frames as bytes, for links that leave the process. {@code FrameLayout} draws them.
 *
 * <p>Links write and read through {@link FrameWriter} and {@link FrameReader}, which know one frame more, for many openings in a row.
 *
 * <p>A {@link Frame.Data} is encoded and read as its header only; its payload follows on the wire, or beside it, and the link moves it.
 *
 * <p><b>Buffers.</b> Every method sets the buffer's order to little-endian. Decoding copies, but for eager bytes in a buffer outside the
 * heap, which stay where they are: who keeps the frame takes it as {@link Frame#kept()}.
 *
 * <p><b>Errors.</b> Bytes of a peer are not trusted. Each length is compared with what is there before memory is taken for it, so decoding
 * allocates in proportion to the frame it was given. What breaks the layout is a {@link ProtocolException}.
 */
public final class FrameCodec {

    /**
     * The version of the layout, and of what links put between frames. It crosses once, in the handshake of a connection, and both ends
     * must have the same.
     */
    public static final int VERSION = 15;

    /** The bytes at the start of every frame from which {@link #lengthOf} and {@link #isData} read. */
    public static final int HEADER_BYTES = FrameLayout.HEADER_BYTES;

    /** The bytes of a {@link Frame.Data} before its payload. */
    public static final int DATA_HEADER_BYTES = FrameLayout.DATA_HEADER_BYTES;

    /** The bytes of a {@link Frame.Announce} without those that come along. */
    public static final int ANNOUNCE_HEADER_BYTES =
            FrameLayout.HEADER_BYTES + FrameLayout.NUMBER_BYTES + FrameLayout.EDGE_BYTES;

    /** The bytes of a {@link Frame.Grant}. */
    public static final int GRANT_BYTES = FrameLayout.HEADER_BYTES + FrameLayout.GRANT_BYTES;

    /**
     * The longest frame other than {@link Frame.Data}. Four times the 64 KiB below which payloads are worth sending with the call's
     * {@link Frame.Open}, and small enough that a hostile length costs nothing.
     */
    public static final int MAX_CONTROL_BYTES = 256 * 1024;

    /** The longest name of a call, in UTF-8 bytes. */
    public static final int MAX_NAME_BYTES = 1024;

    /** The longest label of a reduction, in UTF-8 bytes: its length is one byte on the wire. */
    public static final int MAX_REDUCTION_BYTES = 255;

    /** The longest text in a frame, in UTF-8 bytes; longer ones are cut when encoded. */
    public static final int MAX_TEXT_BYTES = 16 * 1024;

    /** The most missing ranks that a failure lists; more are cut when encoded. */
    public static final int MAX_MISSING = 4096;

    /** The longest payload of a {@link Frame.Data}, in bytes. */
    public static final int MAX_PAYLOAD_BYTES = Integer.MAX_VALUE - DATA_HEADER_BYTES;

    private FrameCodec() {}

    /** {@return a number of bytes in which {@link #encode} surely has room for the frame; exact but for texts} */
    public static int lengthBound(Frame frame) {
        return FrameEncoder.lengthBound(frame);
    }

    /** {@return the bytes of an opening without those that come along, exactly} */
    public static int headerBytes(Frame.Open opening) {
        return OpeningHeader.bytes(opening);
    }

    /**
     * Writes a frame, or the header of a {@link Frame.Data}, at the buffer's position and moves that past it.
     *
     * @throws IllegalArgumentException if the frame exceeds {@link #MAX_CONTROL_BYTES} or its name {@link #MAX_NAME_BYTES}, or if a payload
     *     exceeds {@link #MAX_PAYLOAD_BYTES}
     * @throws java.nio.BufferOverflowException if the buffer has too little room
     */
    public static void encode(Frame frame, ByteBuffer into) {
        FrameEncoder.encode(frame, into);
    }

    /**
     * {@return the length of the frame that begins at the buffer's position, with its header and payload}
     *
     * @param in at least {@link #HEADER_BYTES} bytes; its position stays
     * @throws ProtocolException if that is not a frame's beginning, or the frame is longer than its type allows
     */
    public static int lengthOf(ByteBuffer in) {
        in.order(ByteOrder.LITTLE_ENDIAN);
        int length = in.getInt(in.position() + LENGTH_OFFSET);
        byte type = in.get(in.position() + TYPE_OFFSET);
        // The reserved three bytes are checked with the type above them, as one number.
        if (in.getInt(in.position() + TYPE_OFFSET) != (type & 0xff) || type < DATA || type > PERFORMS) {
            throw new ProtocolException("unknown type of frame: type=" + (type & 0xff) + ", known=" + PERFORMS
                    + ", reserved=" + (in.getInt(in.position() + TYPE_OFFSET) >>> 8) + ", length=" + length);
        }
        boolean fits =
                type == DATA ? length >= DATA_HEADER_BYTES : length >= HEADER_BYTES && length <= MAX_CONTROL_BYTES;
        if (!fits) {
            throw new ProtocolException("frame of impossible length: type=" + type + ", length=" + length);
        }
        return length;
    }

    /** {@return whether the frame that begins at the buffer's position is a {@link Frame.Data}; its position stays} */
    public static boolean isData(ByteBuffer in) {
        return in.get(in.position() + TYPE_OFFSET) == DATA;
    }

    /**
     * {@return the grant of the {@link Frame.Data} that begins at the buffer's position}
     *
     * @param in at least {@link #DATA_HEADER_BYTES} bytes; its position stays
     */
    public static long grantOf(ByteBuffer in) {
        return in.order(ByteOrder.LITTLE_ENDIAN).getLong(in.position() + DATA_GRANT_OFFSET);
    }

    /**
     * Reads a frame other than {@link Frame.Data} from the buffer's position and moves that past it.
     *
     * @throws ProtocolException if there is no such frame, or not the whole of it
     */
    public static Frame decode(ByteBuffer in) {
        if (in.remaining() < HEADER_BYTES) {
            throw new ProtocolException("frame cut short: needs=" + HEADER_BYTES + ", there=" + in.remaining());
        }
        int length = lengthOf(in);
        if (isData(in) || in.remaining() < length) {
            throw new ProtocolException(
                    "frame cut short or of the wrong kind: type=" + in.get(in.position() + TYPE_OFFSET) + ", length="
                            + length
                            + ", there=" + in.remaining());
        }
        return new FrameDecoder(in, length).decode();
    }
}
