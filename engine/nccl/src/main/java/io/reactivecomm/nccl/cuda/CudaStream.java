package io.reactivecomm.nccl.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import jcuda.Pointer;
import jcuda.driver.CUevent;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a device, and the marks in it that tell of their end. After each mark the stream writes a rising number into pinned memory of the host,
 * which is
 * read by a poll: no thread waits, and no callback runs. Where a device cannot write such words, the events behind the marks are asked for.
 *
 * <p><b>Errors.</b> After a sticky error the numbers stop. So each millisecond in which none has come the stream itself is asked; if it has failed,
 * so has
 * everything on it.
 *
 * <p><b>Threads.</b> Its {@link CudaWorker}'s.
 */
public final class CudaStream implements CudaWorker.Poll {

    private static final VarHandle NUMBER = ValueLayout.JAVA_INT.varHandle();
    private static final long CHECK_NANOS = 1_000_000;
    private static final int NO_NUMBER = 0;

    private final CudaDevice device;
    private final CUstream raw = new CUstream();
    private final @Nullable Word word;
    private final Deque<Mark> marks = new ArrayDeque<>();
    private int last;
    private long checkedAt = System.nanoTime();
    private @Nullable CudaException failure;

    /** A place in the stream. The event is there if the device is to be asked for it. Without a number it is where the stream has nothing left to do. */
    private record Mark(int number, @Nullable CUevent event, Consumer<@Nullable CudaException> told) {}

    /** The number that the stream writes, where the host reads it. */
    private record Word(Pointer pointer, MemorySegment onHost, DeviceAddress onDevice) {

        static Word allocate() {
            Pointer pointer = PinnedMemory.allocate(Integer.BYTES);
            try {
                return new Word(
                        pointer,
                        PinnedMemory.segment(pointer, Integer.BYTES),
                        new DeviceAddress(PinnedMemory.onDevice(pointer)));
            } catch (CudaException e) {
                PinnedMemory.free(pointer);
                throw e;
            }
        }

        int read() {
            return (int) NUMBER.getAcquire(onHost, 0L);
        }
    }

    /** Makes one, on its thread. */
    CudaStream(CudaDevice device) {
        this.device = device;
        CudaResult.check("cuStreamCreate", JCudaDriver.cuStreamCreate(raw, CUstream_flags.CU_STREAM_NON_BLOCKING));
        this.word = device.writesWords() ? word() : null;
    }

    private Word word() {
        try {
            return Word.allocate();
        } catch (CudaException e) {
            JCudaDriver.cuStreamDestroy(raw);
            throw e;
        }
    }

    /** {@return the stream as JCuda has it} */
    public CUstream raw() {
        return raw;
    }

    /** {@return the {@code cudaStream_t}, as NCCL takes it} */
    public long address() {
        return RawHandle.of(raw);
    }

    /** Enqueues a copy within the memory of devices, by addresses. */
    public void copy(long from, long to, long bytes) {
        if (bytes > 0 && from != to) {
            CudaResult.check(
                    "cuMemcpyDtoDAsync",
                    JCudaDriver.cuMemcpyDtoDAsync(new DeviceAddress(to), new DeviceAddress(from), bytes, raw));
        }
    }

    /**
     * Ends the launch of some handles: what was enqueued since their turn is theirs. They complete when the device has come here.
     *
     * @throws CudaException if that cannot be told; they are abandoned when the device has nothing left to do, or has failed
     */
    public void complete(List<CudaHandle> handles) {
        complete(handles, failed -> end(handles.iterator(), failed));
    }

    /** All end, also if some who hear of it throw. */
    private static void end(Iterator<CudaHandle> handles, @Nullable CudaException failed) {
        try {
            handles.forEachRemaining(handle -> {
                if (failed == null) {
                    handle.ended();
                } else {
                    handle.abandoned(failed);
                }
            });
        } finally {
            if (handles.hasNext()) {
                end(handles, failed);
            }
        }
    }

    /** As the other; {@code told} ends the handles, of which only the events are made here. */
    void complete(List<CudaHandle> handles, Consumer<@Nullable CudaException> told) {
        try {
            for (CudaHandle handle : handles) {
                handle.enqueued(record(), device.events()::give);
            }
            mark(told);
        } catch (CudaException e) {
            whenIdle(ignored -> told.accept(e));
            throw e;
        }
    }

    /** Tells, where a mark has failed, when the stream has nothing left to do: what was enqueued before may be at its memory until then. */
    void whenIdle(Consumer<@Nullable CudaException> told) {
        if (failure == null) {
            marks.add(new Mark(NO_NUMBER, null, told));
        } else {
            told.accept(failure);
        }
    }

    private CUevent record() {
        CUevent event = device.events().take();
        int code = JCudaDriver.cuEventRecord(event, raw);
        if (code != CUresult.CUDA_SUCCESS) {
            device.events().give(event);
            throw CudaResult.error("cuEventRecord", code);
        }
        return event;
    }

    /** Tells when the device has done all that is enqueued now, or with the error by which it never will. */
    public void mark(Consumer<@Nullable CudaException> told) {
        if (failure != null) {
            throw failure;
        }
        if (marks.isEmpty()) {
            checkedAt = System.nanoTime();
        }
        int number = last == -1 ? 1 : last + 1;
        CUevent event = word == null ? record() : null;
        if (word != null) {
            CudaResult.check("cuStreamWriteValue32", JCudaDriver.cuStreamWriteValue32(raw, word.onDevice, number, 0));
        }
        last = number;
        marks.add(new Mark(number, event, told));
    }

    @Override
    public boolean poll(long now) {
        Mark head = marks.peek();
        boolean isAny = false;
        while (head != null && isReached(head)) {
            marks.remove();
            isAny = true;
            end(head, null);
            head = marks.peek();
        }
        if (head != null && (isAny || now - checkedAt > CHECK_NANOS)) {
            checkedAt = now;
            askStream();
        }
        return !marks.isEmpty();
    }

    private boolean isReached(Mark mark) {
        if (mark.number == NO_NUMBER) {
            return askStream();
        }
        if (word != null) {
            return mark.number - word.read() <= 0;
        }
        return answer("cuEventQuery", () -> JCudaDriver.cuEventQuery(mark.event));
    }

    /** {@return whether it has nothing left to do} */
    private boolean askStream() {
        return answer("cuStreamQuery", () -> JCudaDriver.cuStreamQuery(raw));
    }

    /** {@return whether the answer to a question is yes} One that is neither that nor «not ready» is the failure of all. */
    private boolean answer(String question, IntSupplier asked) {
        int code = CudaResult.of(asked);
        if (code != CUresult.CUDA_SUCCESS && code != CUresult.CUDA_ERROR_NOT_READY) {
            fail(CudaResult.error(question, code));
        }
        return code == CUresult.CUDA_SUCCESS;
    }

    private void fail(CudaException cause) {
        failure = cause;
        for (Mark mark = marks.poll(); mark != null; mark = marks.poll()) {
            end(mark, cause);
        }
    }

    private void end(Mark mark, @Nullable CudaException cause) {
        if (mark.event != null) {
            device.events().give(mark.event);
        }
        mark.told.accept(cause);
    }

    /** {@return why nothing works on it any more; null if it does} */
    public @Nullable CudaException failure() {
        return failure;
    }

    /** Frees it; nothing is enqueued on it any more. What was, such as words of marks whose launch failed half way, is done before. */
    void close() {
        if (failure == null) {
            JCudaDriver.cuStreamSynchronize(raw);
        }
        JCudaDriver.cuStreamDestroy(raw);
        if (word != null) {
            PinnedMemory.free(word.pointer);
        }
    }
}
