/**
 * The devices of CUDA, by JCuda: their memory, streams and events, and the end of what is enqueued there, which is found without a thread that waits
 * and without
 * callbacks.
 *
 * <p>A {@link io.reactivecomm.nccl.cuda.CudaDevice} has two threads: one launches calls, one moves elements. What is enqueued on a tensor is a {@link
 * io.reactivecomm.nccl.cuda.CudaHandle}, which stands behind the one before it by an event.
 */
@NullMarked
package io.reactivecomm.nccl.cuda;

import org.jspecify.annotations.NullMarked;
