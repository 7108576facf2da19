package io.reactivecomm.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** A plan, carried out while its thread waits. */
final class BlockingCall {

    private BlockingCall() {}

    /** {@return what is wrong, in which case nothing was begun; empty if MPI is done} */
    static String perform(Plan plan, MpiProcess process, long comm) {
        String fault = PairCheck.fault(plan.checks(), process, comm).orElse("");
        if (fault.isEmpty()) {
            perform(plan.collectives(), plan.messages(), process.setup(), comm);
        }
        return fault;
    }

    private static void perform(List<Step> collectives, List<Step> messages, MpiSetup setup, long comm) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment requests = arena.allocate(ValueLayout.JAVA_LONG, messages.size());
            for (int i = 0; i < messages.size(); i++) {
                messages.get(i).begin(comm, requests.address() + i * ValueLayout.JAVA_LONG.byteSize());
            }
            collectives.forEach(step -> step.begin(comm, MpiCalls.BLOCKING));
            for (int i = 0; i < messages.size(); i++) {
                setup.await(requests.address() + i * ValueLayout.JAVA_LONG.byteSize());
            }
        }
    }
}
