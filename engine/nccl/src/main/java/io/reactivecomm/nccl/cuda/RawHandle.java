package io.reactivecomm.nccl.cuda;

import jcuda.NativePointerObject;
import jcuda.Pointer;

/** The number behind one of JCuda's objects, which only subclasses reach. */
final class RawHandle extends NativePointerObject {

    private RawHandle(NativePointerObject of) {
        super(of);
    }

    static long of(NativePointerObject object) {
        return new RawHandle(object).getNativePointer();
    }

    /** {@return an address; 0 for a pointer to an array or buffer of Java's} */
    static long address(Pointer pointer) {
        return new Address(pointer).value();
    }

    private static final class Address extends Pointer {

        private Address(Pointer of) {
            super(of);
        }

        private long value() {
            return getNativePointer() == 0 && isOfJava() ? 0 : getNativePointer() + getByteOffset();
        }

        /** JCuda's device pointers at a number alone are a null pointer with an offset, as those here are; Java's have no address before a call. */
        private boolean isOfJava() {
            return getByteOffset() == 0;
        }
    }
}
