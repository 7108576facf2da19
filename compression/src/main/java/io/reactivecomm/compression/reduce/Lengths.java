package io.reactivecomm.compression.reduce;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.internal.call.StepMemory;
import java.util.Arrays;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** The lengths of encodings, which ranks tell each other where a codec's vary. What comes from others is checked before anything is read by it. */
final class Lengths {

    private Lengths() {}

    /** Tells each rank how long its part is. @param take is given how long the part from each rank is */
    static Mono<Void> ofParts(ProcessGroup group, Codec codec, long count, long[] own, Consumer<long[]> take) {
        if (codec.isFixedLength()) {
            return Mono.fromRunnable(() -> take.accept(all(group, codec.maxEncodedBytes(count))));
        }
        return told(group, own, group::allToAll, codec.maxEncodedBytes(count), take);
    }

    /** Tells every rank how long this rank's encoding is. @param take is given how long each rank's is */
    static Mono<Void> ofAll(ProcessGroup group, Codec codec, long count, long own, Consumer<long[]> take) {
        if (codec.isFixedLength()) {
            return Mono.fromRunnable(() -> take.accept(all(group, codec.maxEncodedBytes(count))));
        }
        return told(group, new long[] {own}, group::allGather, codec.maxEncodedBytes(count), take);
    }

    private static long[] all(ProcessGroup group, long length) {
        long[] lengths = new long[group.size()];
        Arrays.fill(lengths, length);
        return lengths;
    }

    private static Mono<Void> told(
            ProcessGroup group,
            long[] own,
            BiFunction<Tensor, Tensor, Mono<Work>> call,
            long most,
            Consumer<long[]> take) {
        return StepMemory.with(memory -> {
            Tensor outgoing = memory.of(() -> Tensor.of(own));
            Tensor incoming = memory.of(() -> Tensor.allocate(DType.INT64, group.size()));
            return call.apply(outgoing, incoming)
                    .then(Mono.fromRunnable(() -> take.accept(checked(incoming.toLongArray(), most))));
        });
    }

    private static long[] checked(long[] lengths, long most) {
        for (int rank = 0; rank < lengths.length; rank++) {
            if (lengths[rank] < 0 || lengths[rank] > most) {
                throw new CommException("a rank announced an impossible encoding: fromRank=" + rank + ", bytes="
                        + lengths[rank] + ", most=" + most + "; let that rank use this version of the library");
            }
        }
        return lengths;
    }
}
