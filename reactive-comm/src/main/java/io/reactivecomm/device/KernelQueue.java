package io.reactivecomm.device;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import java.util.List;

/**
 * A way to run kernels on devices: {@linkplain ProcessGroup#kernels a group's}, for programs, or {@linkplain DeviceMemory#kernels that of a memory}.
 *
 * <p><b>Threads.</b> Any, loops among them: nothing here blocks.
 */
@FunctionalInterface
public interface KernelQueue {

    /**
     * Enqueues kernels, one behind the other, and returns at once. They are ordered as {@linkplain ProcessGroup#move moves} are: behind whatever was enqueued before on any of their
     * tensors, and before what is enqueued later. So tensors that follow each other through kernels, moves and {@linkplain ProcessGroup#enqueued() enqueued} calls need no wait.
     *
     * <p><b>Buffers.</b> A group borrows the tensors until the handle has completed; who enqueues in a memory itself has borrowed them.
     *
     * @param launches at least one; their tensors are on one device
     * @return the end of all of them
     * @throws InvalidCallException if there is none, one has no tensor, a tensor is closed, or they are on several devices
     */
    Handle launch(List<KernelLaunch> launches);
}
