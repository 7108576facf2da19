package io.reactivecomm.nccl.cuda;

import jcuda.Pointer;

/** A number as one of JCuda's pointers to native memory of the host. */
final class NativePointer extends Pointer {

    NativePointer(long address) {
        super(address);
    }
}
