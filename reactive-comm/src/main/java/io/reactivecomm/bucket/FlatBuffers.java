package io.reactivecomm.bucket;

import io.reactivecomm.CommException;
import io.reactivecomm.Device;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The two flat buffers of each device that its buckets are packed into in turn: while one is under way the next is packed into the other. They are
 * allocated when they are first needed and kept from step to step.
 *
 * <p><b>Buffers.</b> After {@link #close} each is freed when the bucket in it has let go.
 *
 * <p><b>Threads.</b> Any.
 */
final class FlatBuffers implements AutoCloseable {

    private final Allocation allocation;
    private final Map<Device, List<FlatBuffer>> buffers = new HashMap<>();
    private boolean closed;

    /** The source of their memory. */
    interface Allocation {

        /** {@return a tensor of so many bytes} */
        Tensor bytes(Device device, long count);
    }

    FlatBuffers(Allocation allocation) {
        this.allocation = allocation;
    }

    /** Memory for one bucket at a time. */
    static final class FlatBuffer {

        private final Device device;
        private @Nullable Tensor bytes;
        private boolean taken;

        private FlatBuffer(Device device) {
            this.device = device;
        }

        private boolean isFree() {
            return !taken;
        }

        private void close() {
            if (bytes != null) {
                bytes.close();
            }
        }

        /** {@return the memory of a buffer that is taken} */
        Tensor bytes() {
            return Objects.requireNonNull(bytes);
        }
    }

    /**
     * {@return a buffer that nobody else has, until it is let go; null if both of the device are taken}
     *
     * @param leastBytes how large it must be
     * @param usualBytes how large it is made, if it has to be made
     */
    synchronized @Nullable FlatBuffer take(Device device, long leastBytes, long usualBytes) {
        requireOpen();
        for (FlatBuffer buffer :
                buffers.computeIfAbsent(device, each -> List.of(new FlatBuffer(each), new FlatBuffer(each)))) {
            if (buffer.isFree()) {
                makeRoom(buffer, leastBytes, usualBytes);
                buffer.taken = true;
                return buffer;
            }
        }
        return null;
    }

    private void makeRoom(FlatBuffer buffer, long leastBytes, long usualBytes) {
        Tensor bytes = buffer.bytes;
        if (bytes != null && bytes.byteSize() >= leastBytes) {
            return;
        }
        if (bytes != null) {
            buffer.bytes = null;
            bytes.close();
        }
        try {
            buffer.bytes = allocation.bytes(buffer.device, Math.max(leastBytes, usualBytes));
        } catch (OutOfMemoryError e) {
            throw new CommException(
                    "a bucket got no memory: device=" + buffer.device + ", bytes=" + Math.max(leastBytes, usualBytes)
                            + "; free memory, use smaller buckets," + " or let gradients live in the buckets",
                    e);
        }
    }

    synchronized void letGo(FlatBuffer buffer) {
        buffer.taken = false;
    }

    /** Lets go of a buffer whose call has failed: a library may still be at its memory, so the next bucket gets other memory. */
    synchronized void giveUp(FlatBuffer buffer) {
        buffer.close();
        buffer.bytes = null;
        buffer.taken = false;
    }

    synchronized void requireOpen() {
        if (closed) {
            throw new InvalidCallException("these gradient buckets are closed; close them after the last step");
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        buffers.values().forEach(both -> both.forEach(FlatBuffer::close));
    }
}
