package io.reactivecomm.nccl.cuda;

import java.util.ArrayDeque;
import java.util.Deque;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;

/**
 * Events of one context that are used again: making one costs more than recording it.
 *
 * <p><b>Threads.</b> Any; the context is current where one is taken.
 */
final class EventPool {

    private final Deque<CUevent> free = new ArrayDeque<>();
    private boolean isClosed;

    CUevent take() {
        synchronized (this) {
            CUevent known = free.pollLast();
            if (known != null) {
                return known;
            }
        }
        CUevent made = new CUevent();
        CudaResult.check("cuEventCreate", JCudaDriver.cuEventCreate(made, CUevent_flags.CU_EVENT_DISABLE_TIMING));
        return made;
    }

    /** An event that may be recorded anew: whoever was to wait for it does so on the device already. */
    synchronized void give(CUevent event) {
        if (isClosed) {
            JCudaDriver.cuEventDestroy(event);
        } else {
            free.addLast(event);
        }
    }

    synchronized void close() {
        isClosed = true;
        free.forEach(JCudaDriver::cuEventDestroy);
        free.clear();
    }
}
