package io.reactivecomm.compression;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.HostMemory;
import io.reactivecomm.kernel.VectorMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a call encodes: values, padded with zeros, and with error feedback the error added. Short-lived, of one call; the
 * compiler need not make an object of it.
 */
final class Source {

    private final DType type;
    private final MemorySegment values;
    private final long valueCount;
    private final @Nullable MemorySegment before;
    private final long count;

    /** Values alone. */
    Source(Tensor values) {
        this.type = values.type();
        this.values = HostMemory.of(values, "values");
        this.valueCount = values.count();
        this.before = null;
        this.count = valueCount;
    }

    /** Values plus an error of as many elements or more. */
    Source(Tensor values, Tensor before) {
        this.type = values.type();
        this.values = HostMemory.of(values, "values");
        this.valueCount = values.count();
        this.before = HostMemory.of(before, "before");
        this.count = before.count();
    }

    /** {@return how many there are, padding included} */
    long count() {
        return count;
    }

    /** {@return the type of the values} */
    DType type() {
        return type;
    }

    /** {@return how many of {@code count} numbers from {@code first} on are values and no padding} */
    long present(long first, long count) {
        return Math.max(0, Math.min(count, valueCount - first));
    }

    /** {@return whether {@link FloatVectors} may read the numbers, and write into what else is given} */
    boolean isDirect(@Nullable MemorySegment target, @Nullable MemorySegment other) {
        return type == DType.FLOAT32 && isReached(values) && isReached(before) && isReached(target) && isReached(other);
    }

    /** {@return whether {@link FloatVectors} may read a part and write into a target} */
    static boolean isDirect(DType type, MemorySegment part, MemorySegment target) {
        return type == DType.FLOAT32 && isReached(part) && isReached(target);
    }

    private static boolean isReached(@Nullable MemorySegment memory) {
        return memory == null || VectorMemory.reaches(memory, memory.byteSize());
    }

    /** {@return the address of a value} */
    long valueAddress(long i) {
        return values.address() + i * Float.BYTES;
    }

    /** {@return the address of an element of the error, or 0 if there is none} */
    long beforeAddress(long i) {
        return addressOf(before, i);
    }

    /** {@return the address of a FLOAT32, or 0 if there is no such memory} */
    static long addressOf(@Nullable MemorySegment memory, long i) {
        return memory == null ? 0 : memory.address() + i * Float.BYTES;
    }

    /** Loads numbers {@code from} to {@code from + n} into the strip. */
    void load(Strip strip, long from, int n) {
        int present = (int) Math.max(0, Math.min(n, valueCount - from));
        // What lies beyond all values is no place to read from, not even nothing.
        if (present > 0) {
            strip.read(type, values, from, present);
        }
        strip.clear(present, n);
        if (before != null) {
            strip.readOperand(type.accumulator(), before, from, n);
            strip.add(n);
        }
    }
}
