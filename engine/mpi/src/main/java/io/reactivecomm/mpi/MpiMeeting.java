package io.reactivecomm.mpi;

import io.reactivecomm.Meeting;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * A gathering of all processes that MPI has started, before there is any engine.
 *
 * @param place where this one stands
 */
record MpiMeeting(MpiProcess process, MpiProcess.Place place) implements Meeting {

    @Override
    public int rank() {
        return place.rank();
    }

    @Override
    public int size() {
        return place.size();
    }

    @Override
    public Mono<List<byte[]>> allGather(byte[] own) {
        return Mono.fromFuture(() -> process.call(() -> gather(own)), true);
    }

    private List<byte[]> gather(byte[] own) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocateFrom(ValueLayout.JAVA_BYTE, own);
            MemorySegment to = arena.allocate((long) own.length * size());
            long bytes = process.library().constant(Constant.BYTE);
            process.calls()
                    .allGather(
                            from.address(),
                            own.length,
                            bytes,
                            to.address(),
                            own.length,
                            bytes,
                            process.setup().world(),
                            MpiCalls.BLOCKING);
            List<byte[]> records = new ArrayList<>();
            for (int rank = 0; rank < size(); rank++) {
                records.add(to.asSlice((long) own.length * rank, own.length).toArray(ValueLayout.JAVA_BYTE));
            }
            return records;
        }
    }
}
