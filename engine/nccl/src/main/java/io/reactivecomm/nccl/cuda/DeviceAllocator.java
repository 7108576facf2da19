package io.reactivecomm.nccl.cuda;

/**
 * A source of device memory beside the driver's own, such as NCCL's.
 *
 * <p><b>Threads.</b> Any; the device's context is current.
 */
public interface DeviceAllocator {

    /** {@return whether it is to allocate so many bytes} */
    boolean takes(long bytes);

    /**
     * {@return the address of so many bytes}
     *
     * @throws OutOfMemoryError if there are not so many
     */
    long allocate(long bytes);

    /** Frees what it has allocated; nothing on the device uses it any more. */
    void free(long address);
}
