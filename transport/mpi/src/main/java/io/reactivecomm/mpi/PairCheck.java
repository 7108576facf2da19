package io.reactivecomm.mpi;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * The comparison of what each two ranks of a group are about to exchange, where nobody else knows: MPI takes a message that is too short without a word. All
 * ranks learn whether all pairs agree, so that none begins what another does not.
 *
 * @param describe the call on this rank, for an error
 * @param sends how many elements this rank sends to each
 * @param takes how many it expects from each
 */
record PairCheck(String describe, long[] sends, long[] takes) {

    static PairCheck of(Collective call, Partition sends, Partition takes) {
        return new PairCheck(call.describe(), counts(sends), counts(takes));
    }

    private static long[] counts(Partition partition) {
        long[] counts = new long[partition.parts()];
        for (int part = 0; part < counts.length; part++) {
            counts[part] = partition.count(part);
        }
        return counts;
    }

    /** {@return what is wrong; empty if all pairs of ranks agree} Blocks. */
    Optional<String> fault(MpiCalls calls, MpiLibrary library, long comm) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment own = arena.allocateFrom(ValueLayout.JAVA_LONG, sends);
            MemorySegment theirs = arena.allocate(ValueLayout.JAVA_LONG, sends.length);
            long longs = library.constant(Constant.INT64);
            calls.allToAll(own.address(), 1, longs, theirs.address(), 1, longs, comm, MpiCalls.BLOCKING);
            String fault = "";
            for (int rank = 0; rank < takes.length && fault.isEmpty(); rank++) {
                long sent = theirs.getAtIndex(ValueLayout.JAVA_LONG, rank);
                fault = sent == takes[rank] ? "" : "rank " + rank + " of the group sends " + sent + " elements where this one expects " + takes[rank];
            }
            return settled(fault, calls, library, comm, arena);
        }
    }

    private Optional<String> settled(String fault, MpiCalls calls, MpiLibrary library, long comm, Arena arena) {
        MemorySegment agrees = arena.allocateFrom(ValueLayout.JAVA_INT, fault.isEmpty() ? 1 : 0);
        calls.allReduce(library.dialect().inPlace(), agrees.address(), 1, library.constant(Constant.INT32), library.constant(Constant.MIN), comm,
                MpiCalls.BLOCKING);
        if (agrees.get(ValueLayout.JAVA_INT, 0) == 1) {
            return Optional.empty();
        }
        String what = fault.isEmpty() ? "two other ranks of the group differ about what goes between them" : fault;
        return Optional.of("ranks differ about their parts: call=" + describe + ", " + what + "; give both ends the same lengths");
    }
}
