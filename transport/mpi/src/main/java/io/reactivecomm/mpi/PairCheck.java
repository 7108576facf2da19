package io.reactivecomm.mpi;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
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

    /** Of the words for a difference, of which a call's parts are the most. */
    private static final int TEXT_BYTES = 2048;

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

    /**
     * A difference.
     *
     * @param seer the rank of the group that tells of it
     */
    record Fault(int seer, String text) {}

    /** {@return what is wrong; empty if all pairs of ranks agree, in all calls of a scope} Blocks, if there is anything to compare. */
    static Optional<Fault> fault(List<PairCheck> checks, MpiProcess process, long comm) {
        if (checks.isEmpty()) {
            return Optional.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            int size = checks.getFirst().sends.length;
            MemorySegment own = arena.allocate(ValueLayout.JAVA_LONG, (long) size * checks.size());
            MemorySegment theirs = arena.allocate(ValueLayout.JAVA_LONG, (long) size * checks.size());
            for (int at = 0; at < size * checks.size(); at++) {
                own.setAtIndex(ValueLayout.JAVA_LONG, at, checks.get(at % checks.size()).sends[at / checks.size()]);
            }
            long longs = process.library().constant(Constant.INT64);
            process.calls().allToAll(own.address(), checks.size(), longs, theirs.address(), checks.size(), longs, comm, MpiCalls.BLOCKING);
            int rank = process.setup().rank(comm);
            return settled(difference(checks, theirs, rank), rank, process, comm, arena);
        }
    }

    /** {@return the first difference that this rank sees; empty if there is none} */
    private static String difference(List<PairCheck> checks, MemorySegment theirs, int own) {
        for (int at = 0; at < checks.getFirst().takes.length * checks.size(); at++) {
            PairCheck check = checks.get(at % checks.size());
            int rank = at / checks.size();
            long sent = theirs.getAtIndex(ValueLayout.JAVA_LONG, at);
            if (sent != check.takes[rank]) {
                return "call=" + check.describe + ", as rank " + own + " says: rank " + rank + " of the group sends " + sent
                        + " elements where this one expects " + check.takes[rank];
            }
        }
        return "";
    }

    /** The first rank that sees a difference tells all: whoever hears of the failure first, by whatever way, hears what it was. */
    private static Optional<Fault> settled(String fault, int own, MpiProcess process, long comm, Arena arena) {
        MpiLibrary library = process.library();
        MemorySegment first = arena.allocateFrom(ValueLayout.JAVA_INT, fault.isEmpty() ? Integer.MAX_VALUE : own);
        process.calls().allReduce(library.dialect().inPlace(), first.address(), 1, library.constant(Constant.INT32), library.constant(Constant.MIN), comm,
                MpiCalls.BLOCKING);
        int seer = first.get(ValueLayout.JAVA_INT, 0);
        if (seer == Integer.MAX_VALUE) {
            return Optional.empty();
        }
        MemorySegment text = arena.allocate(TEXT_BYTES);
        if (seer == own) {
            byte[] bytes = fault.getBytes(StandardCharsets.UTF_8);
            MemorySegment.copy(bytes, 0, text, ValueLayout.JAVA_BYTE, 0, Math.min(bytes.length, TEXT_BYTES - 1));
        }
        process.calls().broadcast(text.address(), TEXT_BYTES, library.constant(Constant.BYTE), seer, comm, MpiCalls.BLOCKING);
        String told = "ranks differ about their parts: " + text.getString(0, StandardCharsets.UTF_8) + "; give both ends the same lengths";
        return Optional.of(new Fault(seer, told));
    }
}
