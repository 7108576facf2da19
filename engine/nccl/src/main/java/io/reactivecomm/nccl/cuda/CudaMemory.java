package io.reactivecomm.nccl.cuda;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.KernelLaunch;
import io.reactivecomm.device.KernelQueue;
import io.reactivecomm.device.Move;
import io.reactivecomm.spi.engine.RankMemory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import reactor.core.publisher.Mono;

/**
 * The memory of CUDA's devices, as one rank uses it. Its own device is opened with it, another when it is first named: for that the caller waits.
 *
 * <p><b>Moves.</b> Enqueued by the thread of moves of the device that is written, or read if the host's memory is written: between the host and a
 * device by
 * pinned blocks, within a device by a kernel, between devices directly. What changes its type or is scaled between the host and a device, or between
 * devices, is converted by the host.
 *
 * <p><b>Order.</b> That of {@link DeviceMemory}: by the blocks of memory that are touched, in this process as a whole. What a program does on streams
 * of its own is
 * ordered by {@link CudaTensor#on}.
 *
 * <p><b>Threads.</b> Any.
 */
public final class CudaMemory implements RankMemory {

    /** What the kind of these devices is called. */
    public static final String KIND = "cuda";

    private final String owner;
    private final int own;
    private final int blockBytes;
    private final Map<Integer, CudaDevice> devices = new TreeMap<>();
    private boolean isClosed;

    /**
     * Makes one without a device.
     *
     * @param own the index of the rank's own device
     * @param owner whose it is, for the names of threads
     * @param blockBytes what a piece of a move by way of the host takes at most
     */
    CudaMemory(int own, String owner, int blockBytes) {
        this.own = own;
        this.owner = owner;
        this.blockBytes = blockBytes;
    }

    /**
     * Opens a device, and the memory. It waits for the driver: not for a loop.
     *
     * @param index of the rank's own device
     * @param owner whose it is, for the names of threads
     * @throws io.reactivecomm.UnsupportedCollectiveException if there is no driver, or no GPU
     * @throws InvalidCallException if there is no such device
     */
    public static CudaMemory open(int index, String owner) {
        CudaMemory memory = ofRank(index, owner);
        memory.openDevice();
        return memory;
    }

    /** {@return the memory of which no device is open yet} @param index of the rank's own device @param owner whose it is, for the names of threads */
    public static CudaMemory ofRank(int index, String owner) {
        return new CudaMemory(index, owner, CopyStream.BLOCK_BYTES);
    }

    @Override
    public void openDevice() {
        device(own);
    }

    /** That of tensors over pointers of the program's, to read their elements; its devices stay open. */
    static CudaMemory ofProcess() {
        return OfProcess.MEMORY;
    }

    private static final class OfProcess {

        private static final CudaMemory MEMORY = new CudaMemory(0, "process", CopyStream.BLOCK_BYTES);
    }

    /** {@return the device of an index} */
    public synchronized CudaDevice device(int index) {
        if (isClosed) {
            throw new InvalidCallException("the memory of CUDA devices is closed: owner=" + owner + ", device=" + index
                    + "; use it before its group closes");
        }
        CudaDevice known = devices.get(index);
        if (known == null) {
            known = CudaDevice.open(index, owner, blockBytes);
            devices.put(index, known);
        }
        return known;
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public Tensor allocate(Device device, DType type, long... shape) {
        requireCuda(device);
        long byteSize = DeviceMemory.byteSize(type, shape);
        CudaDevice there = device(device.index());
        DeviceHeap heap = new DeviceHeap(there, there.allocator(byteSize));
        long address = heap.allocate(byteSize);
        return new CudaTensor(Tensor.onDevice(this, device, address, () -> heap.free(address), type, shape), null);
    }

    static void requireCuda(Device device) {
        if (!device.kind().equals(KIND)) {
            throw new InvalidCallException(
                    "a device is none of CUDA's: device=" + device + "; name one as " + KIND + " and an index");
        }
    }

    /** {@return the device that moves what outlives this memory, too} */
    private CudaDevice mover(int index) {
        synchronized (this) {
            if (!isClosed) {
                return device(index);
            }
        }
        return ofProcess().device(index);
    }

    @Override
    public Handle move(List<Move> moves) {
        Map<Integer, List<Move>> byDevice = new LinkedHashMap<>();
        for (Move move : moves) {
            byDevice.computeIfAbsent(index(move), ignored -> new ArrayList<>()).add(move);
        }
        List<CudaHandle> parts = new ArrayList<>();
        byDevice.forEach((index, part) -> parts.add(move(mover(index), part)));
        return switch (parts.size()) {
            case 0 -> Handle.DONE;
            case 1 -> parts.getFirst();
            default -> new Several(parts);
        };
    }

    private record Several(List<CudaHandle> parts) implements Handle {

        @Override
        public Mono<Void> completed() {
            return Mono.when(parts.stream().map(Handle::completed).toList());
        }

        @Override
        public Mono<Void> released() {
            return Mono.when(parts.stream().map(Handle::released).toList());
        }
    }

    /** {@return the device that does a move} */
    private static int index(Move move) {
        Tensor from = move.from();
        Device device = move.to().device().equals(Device.CPU) && from != null
                ? from.device()
                : move.to().device();
        requireCuda(device);
        return device.index();
    }

    private CudaHandle move(CudaDevice device, List<Move> moves) {
        // Before the order is settled: what stands in it is done.
        moves.forEach(move -> openSource(move));
        CudaHandle handle = new CudaHandle();
        MoveRun run = new MoveRun(device, index -> mover(index).context(), moves, handle);
        return enqueued(device, tensors(moves), handle, run::run);
    }

    /** Has the thread of moves run something when the tensors' turn has come. */
    private static CudaHandle enqueued(CudaDevice device, List<Tensor> tensors, CudaHandle handle, Runnable run) {
        if (!device.use()) {
            throw new InvalidCallException(
                    "a CUDA device is closed: index=" + device.index() + "; use its memory before its group closes");
        }
        boolean isOrdered = false;
        try {
            CudaBlocks.JVM.join(tensors, handle);
            isOrdered = true;
        } finally {
            if (!isOrdered) {
                device.release();
            }
        }
        handle.whenTurn(device.copies(), run);
        return handle;
    }

    @Override
    public Optional<KernelQueue> kernels() {
        return Optional.of(this::launch);
    }

    private Handle launch(List<KernelLaunch> launches) {
        requireTensors(launches);
        List<Tensor> tensors = launches.stream()
                .flatMap(each -> each.tensors().stream())
                .distinct()
                .toList();
        List<Device> devices = tensors.stream().map(Tensor::device).distinct().toList();
        if (devices.size() != 1) {
            throw new InvalidCallException("kernels are not on one device: kernels="
                    + launches.stream().map(KernelLaunch::kernel).toList() + ", devices=" + devices
                    + "; give tensors of one");
        }
        requireCuda(devices.getFirst());
        CudaDevice device = mover(devices.getFirst().index());
        CudaHandle handle = new CudaHandle();
        return enqueued(device, tensors, handle, new KernelRun(device, launches, handle)::run);
    }

    /** One without a tensor has no place in the order. */
    private static void requireTensors(List<KernelLaunch> launches) {
        for (KernelLaunch each : launches) {
            if (each.tensors().isEmpty()) {
                throw new InvalidCallException("a kernel has no tensor: kernel=" + each.kernel() + ", arguments="
                        + each.arguments() + "; give what it reads or writes as a Tensor among its arguments");
            }
        }
    }

    /** A list of no moves, in the order of the tensors. */
    @Override
    public Handle settled(List<Tensor> tensors) {
        CudaDevice device = mover(tensors.getFirst().device().index());
        CudaHandle handle = new CudaHandle();
        return enqueued(
                device,
                tensors,
                handle,
                new MoveRun(device, index -> mover(index).context(), List.of(), handle)::run);
    }

    @Override
    public Current current(Device device) {
        requireCuda(device);
        return CurrentContext.of(mover(device.index()).context())::close;
    }

    private void openSource(Move move) {
        Tensor from = move.from();
        if (from != null && !from.device().equals(Device.CPU)) {
            requireCuda(from.device());
            mover(from.device().index());
        }
    }

    private static List<Tensor> tensors(List<Move> moves) {
        List<Tensor> tensors = new ArrayList<>(2 * moves.size());
        for (Move move : moves) {
            tensors.add(move.to());
            if (move.from() != null) {
                tensors.add(move.from());
            }
        }
        return tensors;
    }

    /**
     * Requires that tensors on devices are in memory that this process has allocated or registered, whose order is known.
     *
     * @throws InvalidCallException if one is not
     */
    @Override
    public void requireKnown(List<Tensor> tensors) {
        for (Tensor tensor : tensors) {
            if (!CudaBlocks.JVM.isKnown(tensor)) {
                throw new InvalidCallException("a tensor is in memory that is not known as a CUDA device's: tensor="
                        + tensor + ", address=0x" + Long.toHexString(tensor.address())
                        + "; allocate it by a group, or make it of a pointer by CudaTensor.of");
            }
        }
    }

    /**
     * Gives a call its place behind all that is enqueued on its tensors. Who has it launches the call in {@link CudaHandle#whenTurn}, behind {@link
     * CudaHandle#follow}, and ends it by {@link CudaStream#complete} or {@link CudaHandle#abandoned}: what is enqueued later on the tensors waits for
     * that.
     */
    public CudaHandle begin(List<Tensor> tensors) {
        return beginAll(List.of(tensors)).getFirst();
    }

    /** As {@link #begin}, for several calls that are launched together, none behind another. @param tensors of each call */
    public List<CudaHandle> beginAll(List<List<Tensor>> tensors) {
        List<CudaHandle> handles =
                tensors.stream().map(each -> new CudaHandle()).toList();
        CudaBlocks.JVM.join(tensors, handles);
        return handles;
    }

    /** Closes its devices, each of which ends when its last tensor is closed. Idempotent. */
    @Override
    public synchronized void close() {
        isClosed = true;
        devices.values().forEach(CudaDevice::close);
    }

    /** {@return the devices that it has opened} */
    synchronized List<CudaDevice> devices() {
        return List.copyOf(devices.values());
    }
}
