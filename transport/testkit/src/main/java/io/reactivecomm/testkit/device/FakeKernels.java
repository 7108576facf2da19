package io.reactivecomm.testkit.device;

import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/** The calls of fake devices on the bytes behind their addresses: folded in rank order with the library's kernels, so that bits are those of links. */
final class FakeKernels {

    private FakeKernels() {}

    /** Performs what the members of a group ask for, in rank order. */
    static void perform(List<Collective> members) {
        switch (members.getFirst()) {
            case AllReduce call -> fold(members, Objects.requireNonNull(call.reduction()));
            case Broadcast call -> members.forEach(each -> copy(members.get(call.root()).inputs(), each.outputs()));
            case AllGather ignored -> gather(members);
            case Coalesced scope -> {
                for (int i = 0; i < scope.members().size(); i++) {
                    int place = i;
                    perform(members.stream().map(each -> ((Coalesced) each).members().get(place)).toList());
                }
            }
            default -> throw new IllegalArgumentException("not of a fake device: call=" + members.getFirst().describe());
        }
    }

    private static MemorySegment at(Tensor tensor) {
        return FakeHeap.JVM.at(tensor);
    }

    private static void fold(List<Collective> members, Reduction reduction) {
        for (int i = 0; i < members.getFirst().inputs().size(); i++) {
            int place = i;
            MemorySegment[] sources = members.stream().map(each -> at(each.inputs().get(place))).toArray(MemorySegment[]::new);
            Tensor first = members.getFirst().inputs().get(place);
            try (Tensor sum = Tensor.allocate(first.type(), first.count())) {
                Kernels.of(first.type(), reduction)
                        .fold(sum.segment(), sources, new boolean[sources.length], sources.length, first.count(), sources.length);
                members.forEach(each -> at(each.outputs().get(place)).copyFrom(sum.segment()));
            }
        }
    }

    /** Each output of a member is a source's, or one output takes all of them one behind the other. */
    private static void gather(List<Collective> members) {
        for (Collective member : members) {
            if (member.outputs().size() == members.size()) {
                for (int rank = 0; rank < members.size(); rank++) {
                    at(member.outputs().get(rank)).copyFrom(at(members.get(rank).inputs().getFirst()));
                }
            } else {
                long from = 0;
                for (Collective source : members) {
                    MemorySegment part = at(source.inputs().getFirst());
                    MemorySegment.copy(part, 0, at(member.outputs().getFirst()), from, part.byteSize());
                    from += part.byteSize();
                }
            }
        }
    }

    private static void copy(List<Tensor> from, List<Tensor> to) {
        for (int i = 0; i < to.size(); i++) {
            at(to.get(i)).copyFrom(at(from.get(i)));
        }
    }
}
