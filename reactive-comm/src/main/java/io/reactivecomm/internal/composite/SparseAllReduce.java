package io.reactivecomm.internal.composite;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.SparseTensor;
import reactor.core.publisher.Mono;

/**
 * The sum of sparse tensors: the ranks tell each other which rows they have, and all-reduce those that any has.
 *
 * <p>Rank by rank, for three ranks and rows of one element; a row that a rank lacks is zero there, as it is in the dense tensor:
 *
 * <pre>
 *            indices  values       after 1, 2       before 3       after 3: all-reduce(SUM)
 *   rank 0     5 2     a  b        rows 2 5 7       b    a   0     b+0+d    a+c+0    0+0+e
 *   rank 1     5       c           rows 2 5 7       0    c   0     b+0+d    a+c+0    0+0+e
 *   rank 2     7 2     e  d        rows 2 5 7       d    0   e     b+0+d    a+c+0    0+0+e
 * </pre>
 *
 * <p>The third step is an all-reduce of exactly the elements that a dense one would have at these rows. So its bits are the dense one's by
 * construction: signed zeros, the factor of PREMUL_SUM, AVG's divisor, and the one rounding of 16-bit types. Gathering every rank's
 * values and adding them here (as DeepSpeed does) would move (n−1)·k rows to each rank where each has k. This moves 2·u·(n−1)/n where u
 * rows are in the union: less as soon as ranks share rows, twice as much where no two do.
 *
 * <p><b>Devices.</b> Indices are read by the host, which fetches them where they are on a device. Values on one stay there, and are reduced there.
 *
 * <p><b>Threads.</b> This rank's tensor is checked on the subscriber's. Memory is taken and rows are put in their places on one of the
 * library's own, since they may be many. The loop folds, in pieces, as it does for any call.
 *
 * <p><b>Cost.</b> Two all-gathers: of a header, and of 8·k bytes of indices; and an all-reduce of the union.
 */
public final class SparseAllReduce {

    static final String OPERATION = "sparse all-reduce";

    private SparseAllReduce() {}

    /** @param group has the memory of devices, where values may be */
    public static Mono<SparseTensor> of(
            Conversations conversations, ProcessGroup group, SparseTensor tensor, Reduction op) {
        return conversations.converse(
                OPERATION,
                talk -> Mono.using(
                        () -> new SparseSubscription(talk, group, op, new Temporaries(OPERATION)),
                        each -> each.run(tensor),
                        SparseSubscription::close));
    }
}
