package io.reactivecomm.internal.stream;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A control message between the two ends of a stream, beside the tensors' bytes; all are of one size, so that each end knows what to
 * receive.
 *
 * <pre>
 *   0               4               8                               16                                1024
 *   +---------------+---------------+-------------------------------+---------------------------------+
 *   | kind          | length        | value                         | dimensions, 8 bytes each;       |
 *   | 32 bits       | of the rest   | 64 bits                       | or a text in UTF-8; else unused |
 *   +---------------+---------------+-------------------------------+---------------------------------+
 * </pre>
 *
 * <p>Little-endian. All fields are written by the end that sends the note; whoever reads it takes nothing for granted.
 */
sealed interface ControlMessage {

    /** Sender to receiver: a tensor's bytes follow as the next payload. The value is the type's code; the length counts dimensions. */
    record Item(DType type, List<Long> shape) implements ControlMessage {

        public Item {
            shape = List.copyOf(shape);
        }
    }

    /** Sender to receiver: no more items. */
    record Last() implements ControlMessage {}

    /** Sender to receiver, apart from the items: their number is the value, and no more was to come. */
    record Complete(long total) implements ControlMessage {}

    /** Sender to receiver, apart from the items: their number is the value, and the text says why there are no more. */
    record Broken(long total, String text) implements ControlMessage {}

    /** Receiver to sender: so many more tensors may come. */
    record Credit(long count) implements ControlMessage {}

    /** Receiver to sender: nobody wants any more. */
    record Cancelled() implements ControlMessage {}

    /** Receiver to sender: the text says why it cannot take any more. */
    record Refused(String text) implements ControlMessage {}

    /** Receiver to sender: everything has come; this is its last note. */
    record Done() implements ControlMessage {}

    /** The size of every note: room for a sentence or two, and small enough to travel without asking. */
    int BYTES = 1024;

    /** More than any array library knows. */
    int MOST_DIMENSIONS = 64;

    long KIND = 0;
    long LENGTH = 4;
    long VALUE = 8;
    long REST = 16;
    int MOST_TEXT_BYTES = (int) (BYTES - REST);

    int ITEM = 1;
    int LAST = 2;
    int COMPLETE = 3;
    int BROKEN = 4;
    int CREDIT = 5;
    int CANCELLED = 6;
    int REFUSED = 7;
    int DONE = 8;

    ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Writes the note into memory of its size. */
    default void write(MemorySegment memory) {
        switch (this) {
            case Item item -> {
                head(memory, ITEM, item.shape.size(), item.type.wireCode());
                for (int i = 0; i < item.shape.size(); i++) {
                    memory.set(LONG, REST + 8L * i, item.shape.get(i));
                }
            }
            case Last ignored -> head(memory, LAST, 0, 0);
            case Complete complete -> head(memory, COMPLETE, 0, complete.total);
            case Broken broken -> head(memory, BROKEN, text(memory, broken.text), broken.total);
            case Credit credit -> head(memory, CREDIT, 0, credit.count);
            case Cancelled ignored -> head(memory, CANCELLED, 0, 0);
            case Refused refused -> head(memory, REFUSED, text(memory, refused.text), 0);
            case Done ignored -> head(memory, DONE, 0, 0);
        }
    }

    private static void head(MemorySegment memory, int kind, int length, long value) {
        memory.set(INT, KIND, kind);
        memory.set(INT, LENGTH, length);
        memory.set(LONG, VALUE, value);
    }

    /** Writes as much of a text as fits, in whole characters. {@return its bytes} */
    private static int text(MemorySegment memory, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, MOST_TEXT_BYTES);
        while (length < bytes.length && length > 0 && (bytes[length] & 0xC0) == 0x80) {
            length--;
        }
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, REST, length);
        return length;
    }

    /**
     * {@return the note in memory of its size}
     *
     * @throws InvalidCallException if it makes no sense
     */
    static ControlMessage read(MemorySegment memory) {
        int length = memory.get(INT, LENGTH);
        long value = memory.get(LONG, VALUE);
        return switch (memory.get(INT, KIND)) {
            case ITEM -> new Item(type(value), shape(memory, length));
            case LAST -> new Last();
            case COMPLETE -> new Complete(notNegative(value));
            case BROKEN -> new Broken(notNegative(value), text(memory, length));
            case CREDIT -> new Credit(positive(value));
            case CANCELLED -> new Cancelled();
            case REFUSED -> new Refused(text(memory, length));
            case DONE -> new Done();
            default -> throw senseless("kind", memory.get(INT, KIND));
        };
    }

    private static DType type(long code) {
        for (DType type : DType.values()) {
            if (type.wireCode() == code) {
                return type;
            }
        }
        throw senseless("type", code);
    }

    private static List<Long> shape(MemorySegment memory, int dimensions) {
        if (dimensions < 0 || dimensions > MOST_DIMENSIONS) {
            throw senseless("dimensions", dimensions);
        }
        List<Long> shape = new ArrayList<>(dimensions);
        for (int i = 0; i < dimensions; i++) {
            shape.add(notNegative(memory.get(LONG, REST + 8L * i)));
        }
        return shape;
    }

    private static String text(MemorySegment memory, int lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > MOST_TEXT_BYTES) {
            throw senseless("textBytes", lengthBytes);
        }
        return new String(memory.asSlice(REST, lengthBytes).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    private static long notNegative(long value) {
        if (value < 0) {
            throw senseless("value", value);
        }
        return value;
    }

    private static long positive(long value) {
        if (value < 1) {
            throw senseless("value", value);
        }
        return value;
    }

    private static CommException senseless(String field, long value) {
        return new InvalidCallException("the other end of a stream sent what makes no sense: " + field + "=" + value
                + "; run the same version of the library on all ranks");
    }
}
