package io.reactivecomm.pytorch;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The agreement of ranks on the tensors of a model, and the broadcast of their values from rank 0. */
final class Replication {

    private Replication() {}

    /**
     * The facts of one rank that all ranks compare.
     *
     * @param tensors a line for each parameter and buffer, and for each option that must not differ
     * @param refusal the reason why this rank cannot take part; null if it can
     */
    record Description(List<String> tensors, @Nullable String refusal) {}

    /**
     * Compares models, before anything moves.
     *
     * @throws InvalidCallException if the model of some rank cannot be replicated, on all ranks
     * @throws MismatchException if models differ, on all ranks; it names the first difference
     */
    static void requireSame(List<ModelTensor> tensors, List<String> options, ProcessGroup group) {
        String refusal = tensors.stream()
                .map(ModelTensor::refusal)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        List<String> lines = Stream.concat(tensors.stream().map(ModelTensor::description), options.stream())
                .toList();
        List<Description> all =
                Objects.requireNonNull(group.allGatherObject(new Description(lines, refusal), Description.class)
                        .block());
        for (int rank = 0; rank < all.size(); rank++) {
            requireReplicable(all.get(rank).refusal(), rank);
        }
        for (int rank = 1; rank < all.size(); rank++) {
            requireSame(all.get(0).tensors(), all.get(rank).tensors(), rank);
        }
    }

    private static void requireReplicable(@Nullable String refusal, int rank) {
        if (refusal != null) {
            throw new InvalidCallException("a model cannot be replicated: rank=" + rank + ", reason: " + refusal);
        }
    }

    private static void requireSame(List<String> first, List<String> other, int rank) {
        for (int i = 0; i < Math.max(first.size(), other.size()); i++) {
            String ofFirst = i < first.size() ? first.get(i) : "nothing";
            String ofOther = i < other.size() ? other.get(i) : "nothing";
            if (!ofFirst.equals(ofOther)) {
                throw new MismatchException("ranks have different models: place=" + i + ", rank 0 has [" + ofFirst
                        + "], rank " + rank + " has [" + ofOther
                        + "]; build the same model with the same options on all ranks");
            }
        }
    }

    /** {@return the call that replaces all values by rank 0's, cold} */
    static Mono<Work> broadcast(List<ModelTensor> tensors, ProcessGroup group) {
        return Mono.defer(() -> group.coalesce(scope -> tensors.stream()
                .filter(each -> each.tensor().numel() > 0)
                .forEach(each -> scope.broadcast(TorchMemory.view(each.tensor(), each.type()), 0))));
    }
}
