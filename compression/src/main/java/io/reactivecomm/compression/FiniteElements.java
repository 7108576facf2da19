package io.reactivecomm.compression;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.HostMemory;
import io.reactivecomm.compression.internal.call.Weights;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/** A scan for elements that are a NaN or an infinity. */
public final class FiniteElements {

    private FiniteElements() {}

    /**
     * {@return whether a tensor has finite elements only}
     *
     * <p><b>Cost.</b> One read of the elements.
     *
     * @param tensor of FLOAT16, BFLOAT16, FLOAT32 or FLOAT64, in the host's memory
     * @throws InvalidCallException if it is another tensor
     */
    public static boolean only(Tensor tensor) {
        Objects.requireNonNull(tensor, "tensor");
        if (Weights.refusal(tensor.type()) != null) {
            throw new InvalidCallException("elements of this type cannot be checked: tensor=" + tensor
                    + "; give FLOAT16, BFLOAT16, FLOAT32 or FLOAT64");
        }
        MemorySegment elements = HostMemory.of(tensor, "tensor");
        // The readiness check comes first, because the class for vector memory cannot be loaded without vectors.
        if (DirectLoop.FIND_INFINITE.isReady() && Source.isDirect(tensor.type(), elements, elements)) {
            long first = tensor.count() / FloatVectors.GRAIN * FloatVectors.GRAIN;
            boolean areFinite = FloatVectors.areFinite(elements.address(), first);
            Reference.reachabilityFence(elements);
            return areFinite && areFinite(tensor, elements, first);
        }
        return areFinite(tensor, elements, 0);
    }

    private static boolean areFinite(Tensor tensor, MemorySegment elements, long from) {
        Strip strip = Strip.of(tensor.type());
        for (long at = from; at < tensor.count(); at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, tensor.count() - at);
            strip.read(tensor.type(), elements, at, n);
            if (Double.isNaN(strip.largestMagnitude(0, n))) {
                return false;
            }
        }
        return true;
    }
}
