package io.reactivecomm.nccl;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.nccl.cuda.DeviceAllocator;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The place where one rank's calls are launched: one thread, and the one stream of its device, on which all communicators' calls are in one order. With a library
 * that has no device it is the thread alone.
 *
 * <p><b>Threads.</b> Those that say «on the thread» are the thread's; all others any's.
 */
interface LaunchStream extends Executor {

    /** {@return the stream as NCCL takes it; 0 if there is none} */
    long address();

    /** {@return where the tensors of its calls are} */
    Device device();

    /** {@return the memory of its devices; null if tensors are the host's} */
    @Nullable DeviceMemory memory();

    /** Has large tensors of the rank's own device allocated by that; nothing without a device. */
    void allocateBy(DeviceAllocator allocator);

    /**
     * Requires that the stream knows the memory of tensors of its device, so that it can order their work.
     *
     * @throws io.reactivecomm.InvalidCallException if it does not know the memory of a tensor
     */
    void requireKnown(List<Tensor> tensors);

    /** {@return as many bytes where its calls can read and write them} */
    Tensor scratch(long bytes);

    /** {@return the places of calls that are launched together, in the order of what is enqueued on their tensors} On the thread. @param tensors of each */
    LaunchPlace place(List<List<Tensor>> tensors);

    /** Enqueues a copy, by addresses. On the thread. */
    void copy(long from, long to, long bytes);

    /** Waits until something is so, and looks meanwhile after what has been launched. On the thread, which does nothing else until then. */
    void await(BooleanSupplier isSo);

    /** Has a look taken about each millisecond while something is on the stream. On the thread. */
    void watch(Runnable look);

    /** Does something that may block on a thread of its own. */
    void aside(String name, Runnable task);

    /** Ends the thread after all that it was told, and gives back what it has of the device once that is idle. */
    void close();

    /** The places of calls that are launched together, between the calls before and behind them. On the thread. */
    interface LaunchPlace {

        /** {@return the handle of each} It completes when the device has done all, and lets go then in any case. */
        List<? extends EnqueuedHandle> handles();

        /** {@return whether all before it has been enqueued} */
        boolean isTurn();

        /** Runs something on the thread when that is so. */
        void whenTurn(Runnable told);

        /** Has the stream wait for all before it. */
        void follow();

        /** Ends the launch: what was enqueued since is its own. */
        void complete();
    }
}
