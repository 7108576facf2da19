package io.reactivecomm.nccl;

import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Signature;
import java.util.ArrayList;
import java.util.List;

/**
 * The cut of a batch into groups of NCCL: the small calls are one, and each large one is one of its own, behind them.
 *
 * <p>What a group saves is launches, of some microseconds each. A large call takes longer than its launch, and gains nothing; but in one group with others it would
 * begin when the last tensor of all of them is ready on the device. A program that runs ahead of its device has all buckets of a backward pass in one batch, and
 * none would be reduced while it goes on.
 *
 * <p>All ranks of a call see the same lengths, and so cut alike, whatever other calls of the batch they are in.
 */
final class GroupCut {

    /** From so many bytes on a call is large: 20 µs over the fastest links. */
    static final long LARGE_BYTES = 1 << 20;

    private GroupCut() {}

    /** {@return the calls of each group, in the order of launches} */
    static List<List<NcclCall>> of(List<NcclCall> batch) {
        List<NcclCall> small = new ArrayList<>();
        List<List<NcclCall>> groups = new ArrayList<>();
        for (NcclCall call : batch) {
            if (commonBytes(call.collective()) < LARGE_BYTES) {
                small.add(call);
            } else {
                groups.add(List.of(call));
            }
        }
        if (!small.isEmpty()) {
            groups.addFirst(small);
        }
        return groups;
    }

    /** {@return the bytes of a call that all its ranks know; 0 where each knows its own} */
    private static long commonBytes(Collective call) {
        if (call instanceof Coalesced scope) {
            return scope.messages().isEmpty()
                    ? scope.members().stream().mapToLong(GroupCut::commonBytes).sum()
                    : 0;
        }
        Signature signature = call.signature();
        return Math.max(signature.count(), 0) * signature.type().byteSize();
    }
}
