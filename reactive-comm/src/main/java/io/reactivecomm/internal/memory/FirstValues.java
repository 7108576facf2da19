package io.reactivecomm.internal.memory;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** The first elements of a tensor as text, for {@link Tensor}. Error messages contain it, so it is short and safe to make. */
public final class FirstValues {

    /** Errors name several tensors in a line. */
    private static final int MOST = 4;

    private FirstValues() {}

    /**
     * {@return the first elements in braces, after a blank; an empty text for an empty tensor or for memory that may be gone unnoticed}
     * A mapped file may be truncated, and the owner of a bare address may free its memory.
     */
    static String of(DType type, MemorySegment elements, long count) {
        boolean isGuarded =
                !elements.isMapped() && !elements.scope().equals(Arena.global().scope());
        if (count == 0 || !isGuarded) {
            return "";
        }
        int shown = (int) Math.min(MOST, count);
        try {
            return " {" + values(type, elements, shown) + (shown < count ? ", …}" : "}");
        } catch (IllegalStateException e) {
            // The tensor or the program's arena has been closed in the meantime.
            return "";
        }
    }

    private static String values(DType type, MemorySegment elements, int count) {
        String text = switch (type) {
            case INT8, UINT8, INT32, UINT32, INT64 -> Arrays.toString(Elements.toLongs(type, elements, count));
            case UINT64 ->
                LongStream.of(Elements.toLongs(type, elements, count))
                        .mapToObj(Long::toUnsignedString)
                        .collect(Collectors.joining(", ", "[", "]"));
            case BOOL ->
                LongStream.of(Elements.toLongs(type, elements, count))
                        .mapToObj(value -> value == 0 ? "false" : "true")
                        .collect(Collectors.joining(", ", "[", "]"));
            case FLOAT16, BFLOAT16, FLOAT32, FLOAT8_E4M3, FLOAT8_E5M2 ->
                Arrays.toString(Elements.toFloats(type, elements, count));
            case FLOAT64 -> Arrays.toString(Elements.toDoubles(type, elements, count));
        };
        return text.substring(1, text.length() - 1);
    }
}
