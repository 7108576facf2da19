package io.reactivecomm.engine;

import io.reactivecomm.DType;
import io.reactivecomm.Reduction;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.kernel.Kernels;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Frame;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one rank from their beginning to their end: what is live, by number and by identity, and what is remembered of the rest.
 * Owned by the loop.
 */
final class Calls {

    /** Every type with the usual reductions; a kernel's strips take some 32 KiB. */
    private static final int KERNELS_KEPT = 64;

    /** Each section's scratch begins at a multiple of this, in bytes: a cache line. */
    private static final long SCRATCH_ALIGNMENT = 64;

    private final World world;
    private final EngineLimits limits;
    private final Messages messages;
    private final Signals signals;
    private final Staging staging;
    private final Scratch scratch;
    private final LiveCalls live = new LiveCalls();
    /** The kernels used last: a caller's own reductions may be new ones at every step. */
    private final Map<KernelKey, Fold.Tools> tools = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<KernelKey, Fold.Tools> eldest) {
            return size() > KERNELS_KEPT;
        }
    };

    private final Deadlines deadlines = new Deadlines();
    private final FlightRecorder recorder = new FlightRecorder();
    private final Tombstones<CallKey> tombstones;
    private long nextNumber = 1;
    private long now;

    private record KernelKey(DType type, Reduction op) {}

    Calls(World world, EngineLimits limits, Messages messages, Signals signals) {
        this.world = world;
        this.limits = limits;
        this.messages = messages;
        this.signals = signals;
        this.staging = new Staging(limits.stagingBytes());
        this.scratch = new Scratch(limits.stagingBytes());
        this.tombstones = new Tombstones<>(limits.tombstones());
    }

    /** Moves the clock; every event does so first. */
    void at(long nanos) {
        now = nanos;
    }

    long now() {
        return now;
    }

    EngineLimits limits() {
        return limits;
    }

    Staging staging() {
        return staging;
    }

    Scratch scratch() {
        return scratch;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    Tombstones<CallKey> tombstones() {
        return tombstones;
    }

    FlightRecorder recorder() {
        return recorder;
    }

    LiveCalls live() {
        return live;
    }

    @Nullable Call find(long number) {
        return live.find(number);
    }

    @Nullable Call find(CallKey key) {
        return live.find(key);
    }

    Peer peer(GroupState group, int groupRank) {
        return world.peer(group.worldRank(groupRank));
    }

    /** A call begins to count: it has a deadline, from when it was subscribed to, and a number. */
    Call admit(Submission submission, Submission.Body.Valid body) {
        Call call = new Call(this, nextNumber++, submission, body);
        live.add(call);
        deadlines.add(call);
        return call;
    }

    /** A call gets its identity and its steps; it fails if the machine has no memory for them. {@return whether it runs} */
    boolean bind(Call call, CallKey key, List<Section> sections) {
        call.identify(key, sections);
        live.identified(call, key);
        call.group().began(key, call.signature());
        int steps = 0;
        long scratchBytes = 0;
        for (int i = 0; i < sections.size(); i++) {
            steps += sections.get(i).steps(call.isWatched()).size();
            scratchBytes += aligned(sections.get(i).scratchBytes());
        }
        Scratch.Block block = scratchBytes == 0 ? null : scratch.take(scratchBytes);
        if (scratchBytes > 0 && block == null) {
            failedEverywhere(call, Failures.noMemory(call, world.rank(), scratchBytes));
            return false;
        }
        call.bind(runs(call, sections, steps, block == null ? MemorySegment.NULL : block.memory()), block);
        return true;
    }

    private Run[] runs(Call call, List<Section> sections, int steps, MemorySegment memory) {
        Run[] runs = steps == 0 ? Call.NO_RUNS : new Run[steps];
        int bound = 0;
        long scratchFrom = 0;
        for (int i = 0; i < sections.size(); i++) {
            Section section = sections.get(i);
            bound = new Binding(call, section, this, scratchRow(section, memory, scratchFrom)).addTo(runs, bound);
            scratchFrom += aligned(section.scratchBytes());
        }
        return runs;
    }

    private static Row scratchRow(Section section, MemorySegment memory, long from) {
        long count = section.schedule().scratchCount();
        return count == 0 ? Row.NONE : Row.of(memory.asSlice(from, section.scratchBytes()), count);
    }

    /** {@return the bytes that leave what follows aligned for every type} */
    private static long aligned(long bytes) {
        return (bytes + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
    }

    void landed(Call call, long from, long count) {
        if (call.submission().sink() instanceof PartSink sink) {
            signals.landed(sink, from, count);
        }
    }

    /** {@return what a section folds with, which reduces} */
    Fold.Tools tools(Section section) {
        return tools.computeIfAbsent(new KernelKey(section.type(), Objects.requireNonNull(section.reduction())), this::toolsOf);
    }

    private Fold.Tools toolsOf(KernelKey key) {
        return new Fold.Tools(Kernels.of(key.type, key.op), key.type.byteSize(), key.type.accumulator().byteSize());
    }

    void succeeded(Call call) {
        call.end(null);
        forget(call);
        signals.succeeded(call.submission().sink(), work(call));
    }

    private Work work(Call call) {
        CallKey key = call.key();
        int peer = Work.NO_PEER;
        long sequence = key instanceof CallKey.Ticket ticket ? ticket.ticket() : 0;
        if (key instanceof CallKey.Message message) {
            peer = message.source() == call.group().rank() ? message.destination() : message.source();
            sequence = message.number();
        }
        Collective collective = call.collective();
        return new Work(
                collective.label(),
                collective.results(call.group().rank()),
                sequence,
                collective.byteSize(call.groupSize()),
                now - call.startedAt(),
                Backends.LINKS,
                call.algorithm(),
                peer);
    }

    /** Fails a call on this rank and lets go of its tensors; tells nobody else. */
    void failed(Call call, Failure failure) {
        if (call.hasEnded()) {
            return;
        }
        call.end(failure);
        forget(call);
        if (call.key() instanceof CallKey.Ticket) {
            for (int i = 0; i < call.partners().size(); i++) {
                Partner partner = call.partners().get(i);
                partner.peer.openings().forget(partner);
            }
        }
        signals.failed(call.submission().sink(), failure);
    }

    /** Fails a call on all ranks that take part in it; a receive that waits for its message keeps its place. */
    void failedEverywhere(Call call, Failure failure) {
        if (call.hasEnded()) {
            return;
        }
        if (call.state() == Call.State.POSTED) {
            messages.unpost(call, failure);
        }
        CallKey key = call.key();
        if (key instanceof CallKey.Ticket) {
            tombstones.put(key, failure);
            world.tell(call.group(), new Frame.Abort(key, failure));
        } else if (key != null) {
            for (int i = 0; i < call.partners().size(); i++) {
                Partner partner = call.partners().get(i);
                if (partner.hasOpened()) {
                    partner.peer.outbox().write(new Frame.Abort(key, failure));
                }
            }
        }
        failed(call, failure);
    }

    private void forget(Call call) {
        live.remove(call);
        deadlines.remove(call);
        CallKey key = call.key();
        if (key != null) {
            recorder.ended(key, call);
        }
    }

    /** Frees the memory that calls share; nothing may be under way. */
    void close() {
        scratch.close();
        staging.close();
    }
}
