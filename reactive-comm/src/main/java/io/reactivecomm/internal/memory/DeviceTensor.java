package io.reactivecomm.internal.memory;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.internal.base.LastingBorrows;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A tensor in a device's memory, or a part of one. The host knows its address, and reads it through a copy.
 *
 * <p>Memory that nobody closes is freed once nothing reaches the {@link TensorLife} any more, which the tensor, its slices and whoever holds them share.
 * A segment of it keeps nothing alive.
 */
public final class DeviceTensor extends BasicTensor {

    private final DeviceMemory memory;
    private final Device device;
    private final long address;
    private final Readiness readiness;

    private DeviceTensor(
            TensorLife life,
            Readiness readiness,
            DeviceMemory memory,
            Device device,
            long address,
            DType type,
            long[] shape,
            long count) {
        super(life, type, shape, count);
        this.readiness = readiness;
        this.memory = memory;
        this.device = device;
        this.address = address;
    }

    /** As {@link Tensor#onDevice}. */
    public static DeviceTensor of(
            DeviceMemory memory, Device device, long address, Runnable free, DType type, long... shape) {
        Objects.requireNonNull(
                device, () -> "a tensor is on no device: address=" + address + "; say where its memory is");
        Objects.requireNonNull(
                memory, () -> "a device's tensor has no memory: device=" + device + "; give what moves its elements");
        Objects.requireNonNull(
                free,
                () -> "a device's tensor cannot be freed: device=" + device
                        + "; give what takes its memory back, or does nothing");
        long count = Shapes.countOf(type, shape);
        long[] own = shape.clone();
        Freeing freeing = new Freeing(free, LeakWatch.over(type, own));
        Ending ending = new Ending(freeing);
        TensorLife life = new TensorLife(ending::closed, ending::free);
        ending.cleanable = NativeMemory.CLEANER.register(life, freeing);
        return new DeviceTensor(life, new Readiness(), memory, device, address, type, own, count);
    }

    /** The one thing that is left to do with the memory. Knows nothing of the life, which would else be reachable for ever. */
    private static final class Freeing implements Runnable {

        private final Runnable free;
        private volatile @Nullable LeakWatch watch;

        private Freeing(Runnable free, @Nullable LeakWatch watch) {
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

    /** The end of a life. */
    private static final class Ending {

        private final Freeing freeing;
        /** There before anybody has the life. */
        private Cleaner.@Nullable Cleanable cleanable;

        private Ending(Freeing freeing) {
            this.freeing = freeing;
        }

        private void closed() {
            freeing.watch = null;
        }

        private void free() {
            closed();
            Objects.requireNonNull(cleanable).clean();
        }
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public MemorySegment segment() {
        requireOpen();
        return MemorySegment.ofAddress(address);
    }

    @Override
    public long address() {
        requireOpen();
        return address;
    }

    @Override
    <T> T read(Function<MemorySegment, T> function) {
        requireBlockable("read");
        Mono<Void> before = readiness();
        try (Tensor copy = HostTensor.allocate(type(), shape())) {
            Mono<Void> moved = moved(copy, Move.copy(this, copy)).completed();
            (before == null ? moved : before.then(moved)).block();
            return function.apply(copy.segment());
        }
    }

    @Override
    void write(Consumer<MemorySegment> function) {
        requireBlockable("set");
        try (Tensor copy = HostTensor.allocate(type(), shape())) {
            function.accept(copy.segment());
            Handle handle = moved(copy, Move.copy(copy, this));
            // The device does it behind earlier writes, whose failures it overwrites.
            enqueued(handle);
            handle.completed().block();
        }
    }

    /** Reading them would wait for the device. */
    @Override
    String values() {
        return "";
    }

    private void requireBlockable(String verb) {
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException(
                    "a device's tensor cannot be " + verb + " on a thread that must not block: tensor=" + this
                            + ", thread=" + Thread.currentThread().getName()
                            + "; publishOn another scheduler before, or move it to or from a tensor of the host's");
        }
    }

    @Override
    public void enqueued(Handle handle) {
        readiness.enqueued(handle, address, address + byteSize());
    }

    @Override
    public @Nullable Mono<Void> readiness() {
        return readiness.state(address, address + byteSize());
    }

    /** The device may touch both after this thread has been interrupted, or the move has failed: they are borrowed until it has let go. */
    private Handle moved(Tensor copy, Move move) {
        if (!borrow()) {
            throw new IllegalStateException("tensor is closed: tensor=" + this + "; close it after its last use");
        }
        copy.borrow();
        Runnable giveBack = () -> {
            try {
                copy.giveBack();
            } finally {
                giveBack();
            }
        };
        boolean isEnqueued = false;
        try {
            Handle handle = memory.move(List.of(move));
            isEnqueued = true;
            LastingBorrows.until(handle::released, giveBack);
            return handle;
        } finally {
            if (!isEnqueued) {
                giveBack.run();
            }
        }
    }

    @Override
    Tensor part(TensorLife life, long fromByte, DType type, long[] shape, long count) {
        return new DeviceTensor(life, readiness, memory, device, address + fromByte, type, shape, count);
    }

    @Override
    public String toString() {
        return super.toString() + " on " + device;
    }
}
