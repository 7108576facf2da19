package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.observe.FlightRecorder;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.internal.observe.Tombstones;
import io.reactivecomm.internal.transfer.Binding;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.MemoryFaults;
import io.reactivecomm.internal.transfer.Resources;
import io.reactivecomm.internal.transfer.Run;
import io.reactivecomm.internal.transfer.ScheduledCollective;
import io.reactivecomm.internal.transfer.TransferFault;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one rank from their beginning to their end: what is live, by number and by identity, and what is remembered of the rest.
 *
 * <p>A call ends here and nowhere else. What an event does to its steps only puts it among those to look at; they are {@link #settle settled}
 * when the event is over. Owned by the loop.
 */
final class Calls {

    private final World world;
    private final EngineLimits limits;
    private final Messages messages;
    private final Signals signals;
    private final Resources resources;
    private final LiveCalls live = new LiveCalls();
    private final Deadlines deadlines = new Deadlines();
    /** Those that the event at hand may have ended, in the order in which it touched them. */
    private final ArrayDeque<Call> touched = new ArrayDeque<>();

    private final Consumer<Call> touch = touched::add;
    private final FlightRecorder recorder = new FlightRecorder();
    private final Tombstones<CallKey> tombstones;
    private BiConsumer<CallKey.Ticket, Failure> parts = (call, failure) -> {};
    private long nextNumber = 1;
    private long now;

    Calls(World world, EngineLimits limits, Resources resources, Messages messages, Signals signals) {
        this.world = world;
        this.limits = limits;
        this.resources = resources;
        this.messages = messages;
        this.signals = signals;
        this.tombstones = new Tombstones<>(limits.tombstones());
        resources.whenMoved(this::moved);
    }

    /** @param answer answers calls of peers in composite calls that they make instead of one which has failed here */
    void answerParts(BiConsumer<CallKey.Ticket, Failure> answer) {
        parts = answer;
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

    /** A call that passed its checks begins to count: it has a deadline, from when it was subscribed to, and a number. */
    Call admit(Submission submission) {
        Call call = new Call(resources, world.ranks(), touch, nextNumber++, submission);
        live.add(call);
        Observation observation = call.observation();
        if (observation != null) {
            observation.begun();
        }
        deadlines.add(call);
        Composite within = submission.within();
        if (within != null) {
            within.partBegins();
        }
        return call;
    }

    /** A call gets its identity and its steps; it fails if the machine has no memory for them. {@return whether it runs} */
    boolean bind(Call call, CallKey key, List<ScheduledCollective> collectives) {
        call.begin(key, collectives);
        Observation observation = call.observation();
        if (observation != null) {
            observation.identified(key);
        }
        live.identified(call, key);
        call.group().began(key, call.signature());
        return Binding.bind(call, collectives, watcher(call));
    }

    /** {@return who is told of elements as they have their final value, or null if nobody is} */
    private Run.@Nullable Watcher watcher(Call call) {
        if (call.submission().sink() instanceof CallSink.OfParts sink) {
            return (from, count) -> signals.landed(sink, from, count);
        }
        return null;
    }

    /** A rank has made the same call. */
    void matched(Call call, Peer peer) {
        Observation observation = call.observation();
        if (observation != null && observation.matched(call.group().groupRank(peer.rank()), now)) {
            signals.observed(observation);
        }
    }

    private void moved(Observation observation, long sentBytes) {
        if (observation.moved(sentBytes, now)) {
            signals.observed(observation);
        }
    }

    /** An event is over: ends the calls that have nothing left to do, and those that cannot succeed any more. */
    void settle() {
        for (Call next = touched.poll(); next != null; next = touched.poll()) {
            if (next.isRunning()) {
                settle(next);
            }
        }
    }

    private void settle(Call call) {
        TransferFault fault = call.fault();
        if (fault != null) {
            failedEverywhere(call, CallFailures.of(call, fault));
        } else if (call.isDone()) {
            succeeded(call);
        }
    }

    private void succeeded(Call call) {
        call.end(null);
        forget(call, List.of());
        signals.succeeded(call.submission().sink(), call);
        partEnded(call);
    }

    /** Behind the news for the call's subscriber: a composite call ends after all that is in it. */
    private static void partEnded(Call call) {
        Composite within = call.submission().within();
        if (within != null) {
            within.partEnded();
        }
    }

    /**
     * {@return whether a fault that no step answers for is one of the callers' memory: then the calls whose memory is gone have failed}
     * The JVM may tell of a lost page later than it is touched; whose it was is then not known, but that it was mapped.
     */
    boolean failedByMemory(Throwable fault) {
        List<Call> concerned = live.snapshot().stream()
                .filter(call -> MemoryFaults.whatIsGone(call.tensors()) != null)
                .toList();
        if (concerned.isEmpty() && MemoryFaults.isLostPage(fault)) {
            concerned = live.snapshot().stream()
                    .filter(call -> MemoryFaults.areMapped(call.tensors()))
                    .toList();
        }
        for (Call call : concerned) {
            String gone = MemoryFaults.whatIsGone(call.tensors());
            String why = gone == null ? MemoryFaults.lostPage(fault) : gone;
            failedEverywhere(call, CallFailures.spoiled(call, world.rank(), why + MemoryFaults.REMEDY));
        }
        return !concerned.isEmpty();
    }

    /** Fails a call on this rank and lets go of its tensors; tells nobody else. */
    void failed(Call call, Failure cause) {
        if (call.hasEnded()) {
            return;
        }
        Failure failure = Verdict.withOwn(cause, world.rank(), call.key(), call::description);
        List<Integer> missing = Missing.of(call, world).late();
        call.end(failure);
        forget(call, missing);
        if (call.key() instanceof CallKey.Ticket) {
            for (int i = 0; i < call.partners().size(); i++) {
                Partner partner = call.partners().get(i);
                world.openings(partner.peer).forget(partner);
            }
        }
        signals.failed(call.submission().sink(), failure);
        partEnded(call);
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
        if (key instanceof CallKey.Ticket ticket) {
            tombstones.put(key, failure);
            world.tell(call.group(), new Frame.Abort(key, failure));
            // One that has failed before it could start has taken none of them. Whoever opened it may hear of the
            // failure from here alone, and answer
            // nothing: so they would stay parked for good.
            world.forgetOpenings(key);
            parts.accept(ticket, failure);
        } else if (key != null) {
            for (int i = 0; i < call.partners().size(); i++) {
                Partner partner = call.partners().get(i);
                if (partner.hasOpened()) {
                    partner.peer.tell(new Frame.Abort(key, failure));
                }
            }
        }
        failed(call, failure);
    }

    private void forget(Call call, List<Integer> missing) {
        live.remove(call);
        deadlines.remove(call);
        CallKey key = call.key();
        if (key != null) {
            call.noteIn(recorder, key, now, missing);
        } else {
            noteUnmatched(call, missing);
        }
    }

    /** A call was refused here before it could begin. */
    void noteRefused(Submission submission, CallKey.Ticket key, Failure failure) {
        recorder.endedBeside(key, () -> "refused", failure)
                .lasted(submission.subscribedAt(), now)
                .by(Submission.BACKEND, submission.site());
    }

    /** A receive that no message came for has no identity that peers ask for. */
    private void noteUnmatched(Call call, List<Integer> missing) {
        if (call.submission().address() instanceof Submission.Address.From from) {
            CallKey key = new CallKey.Message(
                    call.group().generation(),
                    call.group().id(),
                    from.step(),
                    from.name(),
                    from.tag(),
                    from.peer(),
                    call.group().rank(),
                    -1,
                    enclosure(call));
            recorder.endedBeside(key, call.collective().words(), call.failure())
                    .lasted(call.startedAt(), now)
                    .by(Submission.BACKEND, call.submission().site())
                    .without(missing);
        }
    }

    private static @Nullable Enclosure enclosure(Call call) {
        Composite within = call.submission().within();
        return within == null ? null : within.enclosure();
    }
}
