package io.reactivecomm.engine;

import io.reactivecomm.DType;
import io.reactivecomm.Reduction;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.kernel.FoldKernel;
import io.reactivecomm.kernel.Kernels;
import io.reactivecomm.schedule.Schedule;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Frame;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedCollection;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one rank from their beginning to their end: what is live, by number and by identity, and what is remembered of the rest.
 * Owned by the loop.
 */
final class Calls {

    /** Every type with the usual reductions; a kernel's strips take some 32 KiB. */
    private static final int KERNELS_KEPT = 64;

    private final World world;
    private final EngineLimits limits;
    private final Messages messages;
    private final Signals signals;
    private final Staging staging;
    private final Scratch scratch;
    private final SequencedMap<Long, Call> byNumber = new LinkedHashMap<>();
    private final Map<CallKey, Call> byKey = new HashMap<>();
    /** The kernels used last: a caller's own reductions may be new ones at every step. */
    private final Map<KernelKey, FoldKernel> kernels = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<KernelKey, FoldKernel> eldest) {
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

    /** {@return the live calls, oldest first} */
    SequencedCollection<Call> live() {
        return byNumber.sequencedValues();
    }

    @Nullable Call find(long number) {
        return byNumber.get(number);
    }

    @Nullable Call find(CallKey key) {
        return byKey.get(key);
    }

    /** A call begins to count: it has a deadline, from when it was subscribed to, and a number. */
    Call admit(Submission submission, Submission.Body.Valid body, long subscribedAt) {
        Call call = new Call(this, nextNumber++, submission, body.collective(), subscribedAt);
        byNumber.put(call.number(), call);
        deadlines.add(call);
        return call;
    }

    /** A call gets its identity and its steps; it fails if the machine has no memory for them. {@return whether it runs} */
    boolean bind(Call call, CallKey key, Schedule schedule, Submission.Body.Valid body) {
        GroupState group = call.group();
        call.identify(key, schedule.algorithm(), schedule.fingerprint());
        byKey.put(key, call);
        group.began(key, call.signature());
        long scratchBytes = schedule.scratchCount() * call.partialBytes();
        Scratch.Block block = scratchBytes == 0 ? null : scratch.take(scratchBytes);
        if (scratchBytes > 0 && block == null) {
            failedEverywhere(call, Failures.noMemory(call, world.rank(), scratchBytes));
            return false;
        }
        MemorySegment memory = block == null ? MemorySegment.NULL : block.memory();
        call.bind(
                new Binding(call, body, schedule, groupRank -> world.peer(group.worldRank(groupRank)), () -> kernel(call), staging, memory),
                block);
        return true;
    }

    void landed(Call call, long from, long count) {
        if (call.submission().sink() instanceof PartSink sink) {
            signals.landed(sink, from, count);
        }
    }

    private FoldKernel kernel(Call call) {
        Reduction op = Objects.requireNonNull(call.collective().reduction());
        return kernels.computeIfAbsent(new KernelKey(call.signature().type(), op), key -> Kernels.of(key.type, key.op));
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
            call.partners().forEach(partner -> partner.peer.openings().forget(partner));
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
            for (Partner partner : call.partners()) {
                if (partner.hasOpened()) {
                    partner.peer.outbox().write(new Frame.Abort(key, failure));
                }
            }
        }
        failed(call, failure);
    }

    private void forget(Call call) {
        byNumber.remove(call.number());
        deadlines.remove(call);
        CallKey key = call.key();
        if (key != null) {
            byKey.remove(key);
            recorder.ended(key, call);
        }
    }

    /** Frees the memory that calls share; nothing may be under way. */
    void close() {
        scratch.close();
        staging.close();
    }
}
