package io.reactivecomm.nccl.cuda;

import io.reactivecomm.InvalidCallException;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUpointer_attribute;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * A range of device memory of a program's: the whole allocation, so that all tensors in it are of one order, or where the driver knows of
 * none, what was given.
 */
record AddressRange(long first, long byteSize) {

    /** @throws InvalidCallException if it is not that device's memory, or reaches beyond it */
    static AddressRange of(int index, long address, long byteSize) {
        CUdeviceptr pointer = new DeviceAddress(address);
        int[] ordinal = new int[1];
        int code = JCudaDriver.cuPointerGetAttribute(
                Pointer.to(ordinal), CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer);
        if (code != CUresult.CUDA_SUCCESS || ordinal[0] != index) {
            throw refused(
                    index,
                    address,
                    byteSize,
                    code == CUresult.CUDA_SUCCESS ? "device=" + ordinal[0] : CudaResult.describe(code));
        }
        AddressRange whole = allocation(pointer);
        if (whole == null) {
            return new AddressRange(address, Math.max(byteSize, 1));
        }
        if (address + byteSize > whole.first + whole.byteSize) {
            throw refused(index, address, byteSize, "bytes from there on=" + (whole.first + whole.byteSize - address));
        }
        return whole;
    }

    private static @Nullable AddressRange allocation(CUdeviceptr pointer) {
        long[] first = new long[1];
        long[] bytes = new long[1];
        int start = JCudaDriver.cuPointerGetAttribute(
                Pointer.to(first), CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, pointer);
        int size = JCudaDriver.cuPointerGetAttribute(
                Pointer.to(bytes), CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_SIZE, pointer);
        return start == CUresult.CUDA_SUCCESS && size == CUresult.CUDA_SUCCESS
                ? new AddressRange(first[0], bytes[0])
                : null;
    }

    private static InvalidCallException refused(int index, long address, long byteSize, String found) {
        return new InvalidCallException("a pointer is not to so much memory of that CUDA device: index=" + index
                + ", address=0x" + Long.toHexString(address)
                + ", bytes=" + byteSize + ", found: " + found
                + "; give a pointer into an allocation of the device that holds the tensor");
    }
}
