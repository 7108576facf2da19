package io.reactivecomm.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A plan, carried out while its thread waits.
 *
 * <p><b>Threads.</b> One.
 */
final class BlockingCall {

    private final Plan plan;
    private final MpiProcess process;
    private final long comm;
    /** Of the messages. It is there as long as this is. */
    private final MemorySegment requests;

    private int begun;
    private int done;

    BlockingCall(Plan plan, MpiProcess process, long comm) {
        this.plan = plan;
        this.process = process;
        this.comm = comm;
        this.requests =
                Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, plan.messages().size());
    }

    /** Returns when MPI is done. */
    void perform() {
        List<ReadyCall> messages = plan.messages();
        for (; begun < messages.size(); begun++) {
            messages.get(begun).begin(comm, request(begun));
        }
        plan.collectives().forEach(step -> step.begin(comm, MpiCalls.BLOCKING));
        for (; done < begun; done++) {
            process.setup().await(request(done));
        }
    }

    private long request(int message) {
        return requests.address() + message * ValueLayout.JAVA_LONG.byteSize();
    }

    /** {@return whether MPI has messages that have not ended: it has failed, and may write to their memory later} */
    boolean isHeld() {
        return done < begun;
    }

    /** Frees the memory of what MPI has not let go of, once there is no MPI any more. */
    void free() {
        plan.free();
    }
}
