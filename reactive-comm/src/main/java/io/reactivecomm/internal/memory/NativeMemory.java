package io.reactivecomm.internal.memory;

import io.reactivecomm.TensorMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * The memory of one tensor, freed by {@link #free} or, if nobody calls that, when nothing can reach it any more.
 *
 * <p>The memory itself comes from where it can be given back by its address: the {@link CHeap}, or a {@link TensorMemory}. What the
 * program sees of it belongs to an arena of its own.
 * <pre>
 *   tensor, slice ----&gt; segment, slice of it, byte buffer ----&gt; the arena's scope  &lt;- - - -  cleaner ----&gt; address, how to free it
 *   call ------------&gt;                                                            (phantom)
 * </pre>
 *
 * <p>Every segment that was obtained from a tensor, however it was sliced or turned into a buffer, refers to that scope, and each access to it
 * keeps the scope reachable. So when the scope is found unreachable nobody can touch the memory any more, and the cleaner frees it. Closing
 * the arena makes each later access throw; only then is the memory freed, by the same action, which runs once.
 *
 * <p>Where the JVM lets the library call no native function the memory is the arena's own: it is freed by {@link #free} alone.
 *
 * <p><b>Threads.</b> Any.
 */
public final class NativeMemory implements WorkMemory.Block {

    /** A cache line, and the width of the widest vector: blocks of vectors from the start never straddle a line. */
    private static final long ALIGNMENT_BYTES = 64;

    /**
     * The system takes a tenth of a millisecond back for each megabyte, and gives it cleared in half of one: what would hold a loop up is given back
     * on another thread, and cleared page by page as it is used. The C library has all that is so large from the system.
     */
    private static final long LARGE_BYTES = 32L << 20;

    static final Cleaner CLEANER = Cleaner.create();
    private static final @Nullable CHeap HEAP = CHeap.open();

    private final Arena arena;
    private final MemorySegment segment;
    private final @Nullable Freeing freeing;
    private final Cleaner.@Nullable Cleanable cleanable;

    private NativeMemory(Arena arena, MemorySegment segment, @Nullable Freeing freeing) {
        this.arena = arena;
        this.segment = segment;
        this.freeing = freeing;
        this.cleanable = freeing == null ? null : CLEANER.register(arena.scope(), freeing);
    }

    /**
     * {@return zeroed memory of the process}
     *
     * @param watch what to say if nobody frees it
     * @throws OutOfMemoryError if there is none
     */
    public static NativeMemory allocate(long bytes, @Nullable LeakWatch watch) {
        return isLarge(bytes) && Schedulers.isInNonBlockingThread()
                ? ofHeap(CHeap::allocateCleared, false, bytes, watch)
                : ofHeap(CHeap::allocate, true, bytes, watch);
    }

    /**
     * {@return memory of the process, of any content}
     *
     * @throws OutOfMemoryError if there is none
     */
    static NativeMemory uncleared(long bytes) {
        return ofHeap(CHeap::allocate, false, bytes, null);
    }

    /** An allocator of that many bytes. */
    private interface Allocating {

        MemorySegment from(CHeap heap, long bytes);
    }

    private static NativeMemory ofHeap(Allocating allocating, boolean clears, long bytes, @Nullable LeakWatch watch) {
        CHeap heap = HEAP;
        if (heap == null) {
            return ofArena(bytes);
        }
        Arena arena = Arena.ofShared();
        // Too large a sum is one that no heap has.
        MemorySegment block = allocated(allocating, heap, bytes + ALIGNMENT_BYTES);
        MemorySegment segment = CHeap.view(block, bytes, ALIGNMENT_BYTES, arena);
        if (clears) {
            // Touched here, by who wants it, and not by the loop that is the first to use it.
            segment.fill((byte) 0);
        }
        return new NativeMemory(arena, segment, new Freeing(heap, () -> heap.free(block), watch));
    }

    private static MemorySegment allocated(Allocating allocating, CHeap heap, long bytes) {
        try {
            return allocating.from(heap, bytes);
        } catch (OutOfMemoryError e) {
            LateFreeing.PROCESS.await(heap);
            return allocating.from(heap, bytes);
        }
    }

    private static boolean isLarge(long bytes) {
        return bytes >= LARGE_BYTES;
    }

    private static NativeMemory ofArena(long bytes) {
        Arena arena = Arena.ofShared();
        MemorySegment segment = null;
        try {
            segment = arena.allocate(bytes, ALIGNMENT_BYTES);
        } finally {
            if (segment == null) {
                arena.close();
            }
        }
        return new NativeMemory(arena, segment, null);
    }

    /** {@return as {@link #allocate}, but of that kind where there is some} */
    public static NativeMemory allocate(TensorMemory kind, long bytes, @Nullable LeakWatch watch) {
        MemorySegment taken = kind.take(bytes);
        if (taken == null) {
            LateFreeing.PROCESS.await(kind);
            taken = kind.take(bytes);
        }
        return taken == null ? allocate(bytes, watch) : of(kind, taken, watch);
    }

    private static NativeMemory of(TensorMemory kind, MemorySegment taken, @Nullable LeakWatch watch) {
        Arena arena = Arena.ofShared();
        MemorySegment segment = taken.reinterpret(arena, null);
        return new NativeMemory(arena, segment, new Freeing(kind, () -> kind.giveBack(taken), watch));
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    /** The tensor was closed: should it never be freed, because a call that borrows it never ends, that is not the program's doing. */
    public void closed() {
        if (freeing != null) {
            freeing.watch = null;
        }
        // Not found unreachable before.
        Reference.reachabilityFence(arena);
    }

    /**
     * Frees the memory; called once. Large memory that is freed on a loop goes back on another thread.
     *
     * @throws IllegalStateException if native code is using it now; it is freed when nothing can reach it any more
     */
    @Override
    public void free() {
        closed();
        arena.close();
        Cleaner.Cleanable rest = cleanable;
        if (rest != null && freeing != null && isLarge(segment.byteSize()) && Schedulers.isInNonBlockingThread()) {
            LateFreeing.PROCESS.later(freeing.kind, segment.byteSize(), rest::clean);
        } else if (rest != null) {
            rest.clean();
        }
    }

    /** The one thing that is left to do with the memory. Knows nothing of the arena, which would else be reachable for ever. */
    private static final class Freeing implements Runnable {

        private final Object kind;
        private final Runnable free;
        private volatile @Nullable LeakWatch watch;

        /** @param kind where the memory goes back to */
        private Freeing(Object kind, Runnable free, @Nullable LeakWatch watch) {
            this.kind = kind;
            this.free = free;
            this.watch = watch;
        }

        @Override
        public void run() {
            LeakWatch told = watch;
            free.run();
            if (told != null) {
                told.leaked();
            }
        }
    }
}
