package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.publisher.Mono;

/**
 * Tensors between guard zones: what is written beside a tensor is seen, and so is a tensor that a call keeps.
 *
 * <p>The tensors are aligned to their elements and no further, as a slice of a larger tensor is.
 */
public final class GuardedMemory implements AutoCloseable {

    private static final int GUARD_BYTES = 72;
    private static final byte GUARD = (byte) 0xA5;
    private static final MemorySegment INTACT =
            MemorySegment.ofArray(new byte[GUARD_BYTES]).fill(GUARD);
    private static final Duration RELEASE = Duration.ofSeconds(20);

    private final TensorHome home;
    private final Arena arena = Arena.ofShared();
    /** Ranks make tensors on threads of their own. */
    private final Queue<MemorySegment> guards = new ConcurrentLinkedQueue<>();

    private final Queue<Tensor> tensors = new ConcurrentLinkedQueue<>();

    /** In the host's memory. */
    public GuardedMemory() {
        this(TensorHome.HOST);
    }

    /** Where that home has its tensors. On a device there are no guard zones: its memory is to see by itself what goes beyond a tensor. */
    public GuardedMemory(TensorHome home) {
        this.home = home;
    }

    /** {@return where its tensors are} */
    public TensorHome home() {
        return home;
    }

    /** {@return a tensor of unspecified content, in the host's memory wherever the others are: of a message, which not every engine carries} */
    public Tensor onHost(DType type, long count) {
        Tensor tensor = guarded(type, count);
        tensors.add(tensor);
        return tensor;
    }

    /** {@return that tensor, which is closed with the others} */
    public Tensor kept(Tensor tensor) {
        tensors.add(tensor);
        return tensor;
    }

    /** {@return a tensor of unspecified content, in the home's first place} */
    public Tensor tensor(DType type, long count) {
        return tensor(0, type, count);
    }

    /** {@return a tensor of unspecified content, in the home's n-th place} Those of one call have the same place, on whichever rank. */
    public Tensor tensor(int place, DType type, long count) {
        Tensor tensor = home.take(guarded(type, count), home.device(place));
        tensors.add(tensor);
        return tensor;
    }

    private Tensor guarded(DType type, long count) {
        long lengthBytes = count * type.byteSize();
        MemorySegment whole = arena.allocate(lengthBytes + 2 * GUARD_BYTES, 8);
        guards.add(whole.asSlice(0, GUARD_BYTES).fill(GUARD));
        guards.add(whole.asSlice(GUARD_BYTES + lengthBytes).fill(GUARD));
        return Tensor.wrap(whole.asSlice(GUARD_BYTES, lengthBytes), type, count);
    }

    /** {@return a tensor filled with what a rank contributes} */
    public Tensor input(DType type, long count, int salt, int rank) {
        Tensor tensor = tensor(type, count);
        home.write(MemorySegment.ofArray(Inputs.given(type, salt, rank, count)), tensor);
        return tensor;
    }

    /** {@return bytes that no call has written} */
    public static MemorySegment stale(long lengthBytes) {
        return MemorySegment.ofArray(new byte[Math.toIntExact(lengthBytes)]).fill((byte) 0x5C);
    }

    /** Requires that nothing was written beside a tensor. */
    public void checkGuards() {
        for (MemorySegment guard : guards) {
            long at = guard.mismatch(INTACT.asSlice(0, guard.byteSize()));
            if (at >= 0) {
                assertThat(guard.get(ValueLayout.JAVA_BYTE, at))
                        .as("a byte beside a tensor: at=%d", at)
                        .isEqualTo(GUARD);
            }
        }
    }

    /** {@return the end of all borrowing of any of the tensors} */
    public Mono<Void> released() {
        return Mono.when(tensors.stream().map(Tensor::released).toList());
    }

    /** Waits until no call borrows any of the tensors, and fails if that takes long. */
    public void awaitRelease() {
        released().block(RELEASE);
    }

    /** As {@link #awaitRelease()}, then checks the guards and frees the memory. */
    @Override
    public void close() {
        awaitRelease();
        checkGuards();
        tensors.forEach(Tensor::close);
        arena.close();
    }
}
