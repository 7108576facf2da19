package io.reactivecomm.nccl.cuda;

import io.reactivecomm.Tensor;
import java.util.concurrent.atomic.AtomicInteger;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * The work that a program has enqueued on a stream of its own for a tensor: a call that borrows the tensor is ordered behind it, by an event. While a
 * composite call
 * keeps the tensor, its own calls find the event there already: another would stand for work that the program has enqueued since, perhaps behind
 * those calls.
 *
 * <p><b>Threads.</b> Any.
 */
final class StreamReadiness {

    private final CUstream stream;
    private final AtomicInteger keeps = new AtomicInteger();

    StreamReadiness(CUstream stream) {
        this.stream = stream;
    }

    /** Orders what comes next on a tensor behind what is on the stream now. */
    void order(Tensor tensor) {
        if (keeps.get() == 0 && tensor.byteSize() > 0) {
            Streams.requireNoCapture(stream);
            CudaBlocks.JVM.addLast(tensor.address(), recorded());
        }
    }

    void kept() {
        keeps.incrementAndGet();
    }

    void unkept() {
        keeps.decrementAndGet();
    }

    /** The stream may be of a context of the program's, which its events have to be of, too. */
    private CudaHandle recorded() {
        try (CurrentContext current = CurrentContext.of(Streams.context(stream))) {
            CUevent event = new CUevent();
            CudaResult.check("cuEventCreate", JCudaDriver.cuEventCreate(event, CUevent_flags.CU_EVENT_DISABLE_TIMING));
            int code = JCudaDriver.cuEventRecord(event, stream);
            if (code != 0) {
                JCudaDriver.cuEventDestroy(event);
            }
            CudaResult.check("cuEventRecord", code);
            return CudaHandle.recorded(event, JCudaDriver::cuEventDestroy);
        }
    }
}
