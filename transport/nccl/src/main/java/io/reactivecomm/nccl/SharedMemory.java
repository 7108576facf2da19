package io.reactivecomm.nccl;

import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Collective;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The memory of the calls of one batch, in which no call may write what another reads or writes: NCCL does those of a group in any order, and at the same
 * time, and which of them are one group the program does not see.
 *
 * <p><b>Threads.</b> One.
 */
final class SharedMemory {

    private final TreeSet<Range> written = new TreeSet<>(Range.ORDER);
    private final TreeSet<Range> read = new TreeSet<>(Range.ORDER);
    private long longest;

    private record Range(long from, long to) {

        private static final Comparator<Range> ORDER = Comparator.comparingLong(Range::from).thenComparingLong(Range::to);

        static Range of(Tensor tensor) {
            return new Range(tensor.address(), tensor.address() + tensor.byteSize());
        }
    }

    /** Adds what a call touches. {@return a tensor of it that it may not touch beside the others; empty if there is none, and only then it is added} */
    Optional<Tensor> add(Collective call) {
        Set<Tensor> outputs = new HashSet<>(call.outputs());
        List<Tensor> tensors = call.tensors().stream().filter(tensor -> tensor.byteSize() > 0).toList();
        Optional<Tensor> shared = tensors.stream()
                .filter(tensor -> touches(written, Range.of(tensor)) || outputs.contains(tensor) && touches(read, Range.of(tensor)))
                .findFirst();
        if (shared.isEmpty()) {
            tensors.forEach(tensor -> (outputs.contains(tensor) ? written : read).add(Range.of(tensor)));
            longest = Math.max(longest, tensors.stream().mapToLong(Tensor::byteSize).max().orElse(0));
        }
        return shared;
    }

    /** Those that begin before its end, and not so far before its beginning that they are over. */
    private boolean touches(TreeSet<Range> ranges, Range range) {
        return ranges.subSet(new Range(range.from - longest, 0), new Range(range.to, 0)).stream().anyMatch(each -> each.to > range.from);
    }
}
