package io.reactivecomm.compression.reduce;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.Parameter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/** The masks of a compressed all-reduce, by the names of what they are for. */
record Masks(Map<String, Mask> byName) {

    Masks {
        byName = Map.copyOf(byName);
    }

    /** {@return what ranks must have in common: how many there are, and a hash of all} */
    String label() {
        CRC32C hash = new CRC32C();
        new TreeMap<>(byName).forEach((name, mask) -> {
            hash.update(name.getBytes(StandardCharsets.UTF_8));
            update(hash, mask.count(), mask.zeros().size());
            mask.zeros().forEach(run -> update(hash, run.at(), run.count()));
        });
        return "masking " + byName.size() + (byName.size() == 1 ? " tensor" : " tensors") + " ("
                + Long.toHexString(hash.getValue()) + ")";
    }

    private static void update(CRC32C hash, long first, long second) {
        hash.update(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(first)
                .putLong(second)
                .flip());
    }

    /**
     * {@return the slices of a tensor that are to be zeros}
     *
     * @param parameters what lies in it, one behind the other
     * @throws InvalidCallException if a mask is for another number of elements
     */
    List<Tensor> zeros(List<Parameter> parameters, Tensor tensor) {
        List<Tensor> zeros = new ArrayList<>();
        long from = 0;
        for (Parameter parameter : parameters) {
            Mask mask = byName.get(parameter.name());
            if (mask != null) {
                requireFit(mask, parameter);
                for (Mask.Run run : mask.zeros()) {
                    zeros.add(tensor.slice(from + run.at(), run.count()));
                }
            }
            from += parameter.count();
        }
        return zeros;
    }

    private static void requireFit(Mask mask, Parameter parameter) {
        if (mask.count() != parameter.count()) {
            throw new InvalidCallException("a mask is for another number of elements: name=" + parameter.name()
                    + ", mask=" + mask.count() + ", elements=" + parameter.count() + "; give one of the tensor itself");
        }
    }
}
