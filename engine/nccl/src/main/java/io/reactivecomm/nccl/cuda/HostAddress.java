package io.reactivecomm.nccl.cuda;

import jcuda.Pointer;

/** A number as one of JCuda's pointers to native memory of the host. */
final class HostAddress extends Pointer {

    HostAddress(long address) {
        super(address);
    }
}
