package io.reactivecomm.bucket;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import java.util.Objects;

/**
 * The facts that all ranks know of a gradient before it comes.
 *
 * @param name the gradient's
 * @param type its elements'
 * @param count the number of its elements
 */
public record Parameter(String name, DType type, long count) {

    public Parameter {
        Objects.requireNonNull(name, () -> "a parameter has no name: type=" + type + ", count=" + count + "; give one, the same on all ranks");
        Objects.requireNonNull(type, () -> "a parameter has no type: name=" + name + ", count=" + count + "; give its elements'");
        if (count < 0 || count > Long.MAX_VALUE / Long.BYTES) {
            throw new InvalidCallException("no gradient is so large: name=" + name + ", count=" + count + "; register what a tensor can hold");
        }
    }

    @Override
    public String toString() {
        return name + " " + type + "[" + count + "]";
    }
}
