package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.compression.internal.state.Generation;
import io.reactivecomm.compression.internal.state.NamedState;
import io.reactivecomm.compression.internal.state.StateShape;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * A copy of a {@link CompressionState}, to be saved with a checkpoint: each rank saves its own.
 *
 * <p>The bytes, big endian, texts in UTF-8 behind their INT32 lengths:
 *
 * <pre>
 *   mark INT64 | names INT32 | for each: name, codec, type, count INT64, ranks INT32, rank INT32, step INT64,
 *              |                         adapted INT32 × FLOAT64, tensors INT32 × (type, INT32 × bytes) | CRC32C INT64 of all before
 * </pre>
 */
public final class CompressionSnapshot {

    /** "RCOMPST1". */
    private static final long MARK = 0x5243_4F4D_5053_5431L;

    private final Map<String, Saved> states;

    CompressionSnapshot(Map<String, Saved> states) {
        this.states = Collections.unmodifiableMap(new LinkedHashMap<>(states));
    }

    Map<String, Saved> states() {
        return states;
    }

    /** The copy of one name's state. Elements are bytes in native order, as their tensors have them. */
    record Saved(StateShape shape, long step, double[] adapted, List<byte[]> kept) {

        static Saved of(NamedState state) {
            Generation latest = state.latest();
            return new Saved(state.shape(), latest.step(), latest.adapted(), latest.bytes());
        }
    }

    /** {@return the bytes of the snapshot} */
    public byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(MARK);
            out.writeInt(states.size());
            for (Map.Entry<String, Saved> each : states.entrySet()) {
                write(each.getKey(), each.getValue(), out);
            }
            out.flush();
            CRC32C sum = new CRC32C();
            sum.update(bytes.toByteArray());
            out.writeLong(sum.getValue());
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot be written to", e);
        }
        return bytes.toByteArray();
    }

    private static void write(String name, Saved saved, DataOutputStream out) throws IOException {
        writeText(name, out);
        writeText(saved.shape.codec(), out);
        writeText(saved.shape.type().name(), out);
        out.writeLong(saved.shape.count());
        out.writeInt(saved.shape.ranks());
        out.writeInt(saved.shape.rank());
        out.writeLong(saved.step);
        out.writeInt(saved.adapted.length);
        for (double each : saved.adapted) {
            out.writeDouble(each);
        }
        out.writeInt(saved.kept.size());
        for (int place = 0; place < saved.kept.size(); place++) {
            byte[] bytes = saved.kept.get(place);
            writeText(saved.shape.kept().get(place).type().name(), out);
            out.writeInt(bytes.length);
            out.write(bytes);
        }
    }

    /**
     * Reads a snapshot.
     *
     * @throws InvalidCallException if the bytes are not those of one, or are damaged
     */
    public static CompressionSnapshot of(byte[] bytes) {
        Objects.requireNonNull(bytes, "bytes");
        requireSound(bytes);
        Map<String, Saved> states = new LinkedHashMap<>();
        try (DataInputStream in =
                new DataInputStream(new ByteArrayInputStream(bytes, Long.BYTES, bytes.length - 2 * Long.BYTES))) {
            int names = in.readInt();
            for (int i = 0; i < names; i++) {
                states.put(text(in), saved(in));
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidCallException(
                    "a snapshot of a compressed all-reduce makes no sense: bytes=" + bytes.length + ", cause=" + e
                            + "; give what toBytes() made",
                    e);
        }
        return new CompressionSnapshot(states);
    }

    private static void requireSound(byte[] bytes) {
        boolean isLongEnough = bytes.length >= 2 * Long.BYTES + Integer.BYTES;
        if (isLongEnough) {
            CRC32C sum = new CRC32C();
            sum.update(bytes, 0, bytes.length - Long.BYTES);
            ByteBuffer all = ByteBuffer.wrap(bytes);
            if (all.getLong(0) == MARK && all.getLong(bytes.length - Long.BYTES) == sum.getValue()) {
                return;
            }
        }
        throw new InvalidCallException(
                "these bytes are no snapshot of a compressed all-reduce, or a damaged one: bytes=" + bytes.length
                        + "; give what toBytes() made");
    }

    private static Saved saved(DataInputStream in) throws IOException {
        String codec = text(in);
        DType type = DType.valueOf(text(in));
        long count = in.readLong();
        int ranks = in.readInt();
        int rank = in.readInt();
        long step = in.readLong();
        double[] adapted = new double[length(in, Double.BYTES)];
        for (int i = 0; i < adapted.length; i++) {
            adapted[i] = in.readDouble();
        }
        int tensors = length(in, Integer.BYTES);
        List<StateShape.Kept> kept = new ArrayList<>();
        List<byte[]> bytes = new ArrayList<>();
        for (int i = 0; i < tensors; i++) {
            DType ofKept = DType.valueOf(text(in));
            bytes.add(in.readNBytes(length(in, 1)));
            kept.add(new StateShape.Kept(ofKept, bytes.getLast().length / ofKept.byteSize()));
        }
        return new Saved(new StateShape(codec, type, count, ranks, rank, kept), step, adapted, bytes);
    }

    private static void writeText(String text, DataOutputStream out) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(length(in, 1)), StandardCharsets.UTF_8);
    }

    /** {@return a length that was read, of something that has at least so many bytes for each of its elements} */
    private static int length(DataInputStream in, int bytes) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available() / bytes) {
            throw new IOException("something is cut off: length=" + length + ", bytes left=" + in.available());
        }
        return length;
    }

    /** {@return the names that have a state} */
    public List<String> names() {
        return List.copyOf(states.keySet());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CompressionSnapshot snapshot && Arrays.equals(toBytes(), snapshot.toBytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(toBytes());
    }

    @Override
    public String toString() {
        return "CompressionSnapshot" + states.keySet();
    }
}
