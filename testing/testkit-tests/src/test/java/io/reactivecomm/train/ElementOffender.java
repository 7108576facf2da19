package io.reactivecomm.train;

import io.reactivecomm.Tensor;
import java.lang.foreign.ValueLayout;

/** Breaks a rule of the house: the tensor may be on a device. */
final class ElementOffender {

    private ElementOffender() {}

    static byte first(Tensor tensor) {
        return tensor.segment().get(ValueLayout.JAVA_BYTE, 0);
    }
}
