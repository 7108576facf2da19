package io.reactivecomm.internal.transfer;

import io.reactivecomm.Tensor;
import io.reactivecomm.spi.link.MappedPages;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Faults of memory that is the callers' own: an arena that was closed, a file that was truncated under its mapping. They fail the call; any other
 * fault is ours.
 *
 * <p>Which it is follows from what has become of the memory, not from what the fault says: an arena that is closed stays so. Only an
 * {@link InternalError} says it itself, and by its class, since the JVM has no other use for just that one beside access to a page that is gone.
 */
public final class MemoryFaults {

    public static final String REMEDY = "; keep a tensor's memory until released() has completed";

    private MemoryFaults() {}

    /** {@return why a thread cannot reach a tensor's memory, or null if it can} */
    public static @Nullable String whyOutOfReach(Tensor tensor, Thread thread) {
        MemorySegment memory = tensor.segment();
        if (!memory.scope().isAlive()) {
            return "its memory is freed: tensor=" + tensor + ", cause=its arena was closed";
        }
        return memory.isAccessibleBy(thread)
                ? null
                : "its memory belongs to one thread: tensor=" + tensor + ", cause=its arena is confined";
    }

    /** {@return what has become of the memory of one of those, or null if all is as it was} */
    public static @Nullable String whatIsGone(List<Tensor> tensors) {
        for (Tensor tensor : tensors) {
            if (!tensor.segment().scope().isAlive()) {
                return "a tensor's memory was freed while it was borrowed: tensor=" + tensor;
            }
        }
        return null;
    }

    /** {@return whether a page of memory turned out to be gone} */
    public static boolean isLostPage(Throwable fault) {
        return fault.getClass() == InternalError.class;
    }

    /** {@return whether a lost page may be one of theirs, of all that are in use} */
    public static boolean areMapped(List<Tensor> tensors) {
        return tensors.stream().anyMatch(tensor -> tensor.segment().isMapped());
    }

    public static String lostPage(Throwable fault) {
        return "a page of a tensor's memory is gone, as of a mapped file that was truncated: cause=" + fault;
    }

    /**
     * Requires that mapped files still have what travels with an opening: bytes that turn out to be gone while they are copied may be on their way.
     *
     * @throws InternalError if one was truncated
     */
    public static void requirePages(List<Tensor> tensors, long mostBytes) {
        for (int i = 0; i < tensors.size(); i++) {
            MemorySegment memory = tensors.get(i).segment();
            if (memory.isMapped()
                    && memory.byteSize() <= mostBytes
                    && MappedPages.lost(memory, 0) instanceof InternalError lost) {
                throw lost;
            }
        }
    }

    /**
     * Requires that a piece of memory can be read or written.
     *
     * @throws IllegalStateException if it was freed
     */
    static void requireAlive(MemorySegment memory) {
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("memory was freed: bytes=" + memory.byteSize());
        }
    }
}
