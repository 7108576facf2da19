package io.reactivecomm.nccl.cuda;

import io.reactivecomm.InvalidCallException;
import jcuda.driver.CUcontext;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureStatus;
import jcuda.driver.JCudaDriver;

/** Questions to streams of the program's. */
final class Streams {

    private static final long PER_THREAD_DEFAULT = 2;

    private Streams() {}

    /**
     * {@return the context of a stream}
     *
     * @throws InvalidCallException if it is one of the default streams, whose context or thread is whoever's asks
     */
    static CUcontext context(CUstream stream) {
        requireNoDefault(stream);
        CUcontext context = new CUcontext();
        CudaResult.check("cuStreamGetCtx", JCudaDriver.cuStreamGetCtx(stream, context));
        return context;
    }

    private static void requireNoDefault(CUstream stream) {
        long raw = RawHandle.of(stream);
        if (raw <= PER_THREAD_DEFAULT && raw >= 0) {
            throw new InvalidCallException("a default stream of CUDA is not one that others can wait for or on: stream="
                    + raw + "; use a stream that cuStreamCreate or cuStreamCreateWithPriority has made");
        }
    }

    /** @throws InvalidCallException if a graph of CUDA's is being captured there, or it is a default stream */
    static void requireNoCapture(CUstream stream) {
        requireNoDefault(stream);
        int[] status = new int[1];
        CudaResult.check("cuStreamIsCapturing", JCudaDriver.cuStreamIsCapturing(stream, status));
        if (status[0] != CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE) {
            throw new InvalidCallException("calls cannot be captured in a CUDA graph: stream=" + stream
                    + ", capture=" + CUstreamCaptureStatus.stringFor(status[0])
                    + "; end the capture before the call is subscribed to, and make the call between two graphs");
        }
    }
}
