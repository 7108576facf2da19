package io.reactivecomm.compression.reduce;

import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** A compressed all-reduce outside gradient buckets. */
final class NamedCall {

    private NamedCall() {}

    /**
     * {@return the call, assembled now; each subscription is a step}
     *
     * @param elements what ranks compare of the tensor
     * @param label what they compare of the codec
     */
    static Mono<Compressed> of(
            ProcessGroup group,
            String name,
            Tensor tensor,
            String elements,
            Reduction op,
            String label,
            Function<ProcessGroup, Mono<Compressed>> body) {
        Objects.requireNonNull(name, "a compressed all-reduce has no name; give one, the same on all ranks");
        String operation = "compressed all-reduce(" + name + ", " + tensor.type() + elements + ", " + op.label() + ", "
                + label + ")";
        return new CompressedCall(Operation.ALL_REDUCE, operation, List.of(), List.of(tensor)).in(group, body);
    }
}
