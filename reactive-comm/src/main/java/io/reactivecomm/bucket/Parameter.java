package io.reactivecomm.bucket;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;

/**
 * What all ranks know of a gradient before it comes.
 *
 * @param name the gradient's
 * @param type its elements'
 * @param count the number of its elements
 */
public record Parameter(String name, DType type, long count) {

    public Parameter {
        if (count < 0 || count > Long.MAX_VALUE / Long.BYTES) {
            throw new InvalidCallException("no gradient is so large: name=" + name + ", count=" + count + "; register what a tensor can hold");
        }
    }

    @Override
    public String toString() {
        return name + " " + type + "[" + count + "]";
    }
}
