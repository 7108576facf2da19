package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.link.MappedPages;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a row that one step is about. They may lie in several tensors: then what must be in one piece, such as a frame's payload,
 * is packed into memory of its own and unpacked again, and what need not is dealt with tensor by tensor.
 *
 * @param from the first element, in the row
 * @param elementBytes the width of an element
 */
record RowSlice(TensorRow row, long from, long count, int elementBytes) {

    /** Up to this size tensors are packed together; larger ones travel on their own, straight from and into their memory. */
    private static final int WORTH_PACKING_BYTES = 64 << 10;

    long lengthBytes() {
        return count * elementBytes;
    }

    /** {@return how many elements go into that many bytes, at least one} */
    long elementsIn(int bytes) {
        return Math.max(1, bytes / elementBytes);
    }

    /** {@return how many elements from one of the stretch on lie in one tensor, at most so many} */
    long together(long first, long most) {
        return row.together(from + first, most);
    }

    /** {@return the memory of elements that lie in one tensor} */
    MemorySegment slice(long first, long elements) {
        return row.slice(from + first, elements, elementBytes);
    }

    /** {@return the memory of all, if they lie in one tensor} */
    @Nullable MemorySegment whole() {
        if (count == 0) {
            return MemorySegment.NULL;
        }
        return together(0, count) == count ? slice(0, count) : null;
    }

    /** {@return how many elements from that one on make a good piece, at most so many: not the end of one large tensor and another's start} */
    long goodPiece(long first, long most) {
        long here = together(first, most);
        return here * elementBytes >= WORTH_PACKING_BYTES ? here : most;
    }

    /** Copies elements to memory in one piece. */
    void pack(long first, long elements, MemorySegment target) {
        for (long at = 0; at < elements; ) {
            long here = together(first + at, elements - at);
            MemorySegment source = slice(first + at, here);
            MemorySegment.copy(source, 0, target, at * elementBytes, here * elementBytes);
            MappedPages.hearOfThem(source, target);
            at += here;
        }
    }

    /** Copies elements from memory in one piece. */
    void unpack(long first, long elements, MemorySegment source) {
        for (long at = 0; at < elements; ) {
            long here = together(first + at, elements - at);
            MemorySegment target = slice(first + at, here);
            MemorySegment.copy(source, at * elementBytes, target, 0, here * elementBytes);
            MappedPages.hearOfThem(source, target);
            at += here;
        }
    }
}
