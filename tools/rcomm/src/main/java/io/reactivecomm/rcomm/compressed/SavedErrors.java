package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.compression.reduce.CompressionSnapshot;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The errors of one rank, which it has lost of one name's elements and not sent yet, read from the bytes of a snapshot: {@link CompressionSnapshot} says where they are.
 *
 * @param worker of this rank's own elements, and of their padding
 * @param server of the part of the sum that this rank sends; none by gather
 */
record SavedErrors(FloatBuffer worker, FloatBuffer server) {

    /** {@return those of a snapshot that has one name} */
    static SavedErrors of(CompressionSnapshot snapshot) {
        ByteBuffer bytes = ByteBuffer.wrap(snapshot.toBytes());
        bytes.getLong();
        if (bytes.getInt() != 1) {
            throw new IllegalArgumentException(
                    "not the state of one name: names=" + snapshot.names() + "; give a reduction to each");
        }
        for (String text : new String[] {"name", "codec", "type"}) {
            skip(bytes, bytes.getInt(), text);
        }
        skip(bytes, Long.BYTES + 2 * Integer.BYTES + Long.BYTES, "count, ranks, rank and step");
        skip(bytes, bytes.getInt() * Double.BYTES, "adapted");
        int tensors = bytes.getInt();
        FloatBuffer worker = next(bytes);
        return new SavedErrors(worker, tensors > 1 ? next(bytes) : FloatBuffer.allocate(0));
    }

    private static FloatBuffer next(ByteBuffer bytes) {
        byte[] type = new byte[bytes.getInt()];
        bytes.get(type);
        if (!new String(type, StandardCharsets.UTF_8).equals("FLOAT32")) {
            throw new IllegalArgumentException("errors are of another type: type="
                    + new String(type, StandardCharsets.UTF_8) + "; FLOAT32 is what is measured");
        }
        int length = bytes.getInt();
        ByteBuffer elements = bytes.slice(bytes.position(), length).order(ByteOrder.nativeOrder());
        skip(bytes, length, "elements");
        return elements.asFloatBuffer();
    }

    private static void skip(ByteBuffer bytes, int length, String what) {
        if (length < 0 || length > bytes.remaining()) {
            throw new IllegalArgumentException(
                    "a snapshot is cut off: at=" + what + ", length=" + length + ", left=" + bytes.remaining());
        }
        bytes.position(bytes.position() + length);
    }
}
