package io.reactivecomm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** The first elements of a tensor as text, for {@link Tensor#toString}: errors have it, so it is short, and reading them must be harmless. */
final class FirstValues {

    /** Errors name several tensors in a line. */
    private static final int MOST = 4;

    private FirstValues() {}

    /**
     * {@return the first elements in braces, with a blank before; nothing if there are none, or the memory may be gone without anybody knowing} That of a
     * mapped file is when the file is truncated, and that of an address alone when its owner frees it.
     */
    static String of(DType type, MemorySegment elements, long count) {
        boolean isGuarded = !elements.isMapped() && !elements.scope().equals(Arena.global().scope());
        if (count == 0 || !isGuarded) {
            return "";
        }
        int shown = (int) Math.min(MOST, count);
        try {
            return " {" + values(type, elements, shown) + (shown < count ? ", …}" : "}");
        } catch (IllegalStateException e) {
            // Freed meanwhile, or the program's arena is closed.
            return "";
        }
    }

    private static String values(DType type, MemorySegment elements, int count) {
        String text = switch (type) {
            case INT8, UINT8, INT32, UINT32, INT64 -> Arrays.toString(Elements.toLongs(type, elements, count));
            case UINT64 -> LongStream.of(Elements.toLongs(type, elements, count)).mapToObj(Long::toUnsignedString).collect(Collectors.joining(", ", "[", "]"));
            case BOOL -> LongStream.of(Elements.toLongs(type, elements, count)).mapToObj(value -> value == 0 ? "false" : "true")
                    .collect(Collectors.joining(", ", "[", "]"));
            case FLOAT16, BFLOAT16, FLOAT32, FLOAT8_E4M3, FLOAT8_E5M2 -> Arrays.toString(Elements.toFloats(type, elements, count));
            case FLOAT64 -> Arrays.toString(Elements.toDoubles(type, elements, count));
        };
        return text.substring(1, text.length() - 1);
    }
}
