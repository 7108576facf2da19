package io.reactivecomm.simulator;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A composite call of several ranks, as hooks and machines know it: a call in it that all ranks have begun runs to its end, and any other fails with it. A call that a
 * rank announces not to make fails on those that have begun it.
 */
final class GradientComposite {

    /** The taker of one rank's news of the composite call. */
    interface Listener {

        void stopped();

        void ended(@Nullable Throwable error);
    }

    /** The taker of one rank's result of a call. */
    interface CallEnd {

        /** @param values the sum of all ranks' contributions */
        void succeeded(long[] values);

        void failed(Throwable error);
    }

    /** A failure of the modelled world. */
    static final class Fault extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Fault(String what) {
            super(what, null, false, false);
        }
    }

    /** One rank in it. */
    private static final class Member {

        private @Nullable Listener listener;
        private int inFlight;
        /** It makes no further call. */
        private boolean hasAnnounced;

        private boolean isOver;
        /** It has failed, or knows that another has. */
        private boolean knowsFailure;

        private boolean isSelfFailed;
        private boolean hasEnded;
    }

    private static final class Call {

        private final Map<Integer, CallEnd> begun = new LinkedHashMap<>();
        private final Set<Integer> ended = new HashSet<>();
        private final long[] values;
        private boolean isWhole;
        private boolean isDead;

        private Call(int values) {
            this.values = new long[values];
        }
    }

    private final GradientNetwork network;
    private final List<Integer> members;
    private final Member[] states;
    private final Map<String, Call> calls = new LinkedHashMap<>();
    private @Nullable Throwable failure;

    GradientComposite(GradientNetwork network, List<Integer> members, int ranks) {
        this.network = network;
        this.members = members;
        this.states = new Member[ranks];
        members.forEach(rank -> states[rank] = new Member());
        members.stream().filter(network::isLost).forEach(this::lost);
    }

    void open(int rank, Listener listener) {
        if (states[rank].listener != null) {
            throw new Violation("a composite call is opened twice: rank=" + rank);
        }
        states[rank].listener = listener;
        if (failure != null) {
            network.onLoop(rank, () -> hears(rank));
        }
    }

    /** {@return whether calls of a rank can begin} */
    boolean isOpen(int rank) {
        return states[rank].listener != null && !states[rank].isOver && !states[rank].knowsFailure;
    }

    boolean hasEnded(int rank) {
        return states[rank].hasEnded;
    }

    /** A rank makes a call. */
    void begin(int rank, String name, long[] contribution, CallEnd end) {
        Member own = states[rank];
        if (own.listener == null || (own.hasAnnounced || own.isOver) && !own.knowsFailure) {
            throw new Violation("a call begins in a hook that has announced its last: rank=" + rank + ", call=" + name);
        }
        Call call = calls.computeIfAbsent(name, key -> new Call(contribution.length));
        if (call.begun.put(rank, end) != null) {
            throw new Violation("a call is made twice: rank=" + rank + ", call=" + name);
        }
        own.inFlight++;
        for (int i = 0; i < contribution.length; i++) {
            call.values[i] += contribution[i];
        }
        if (call.isDead) {
            network.onLoop(rank, () -> ends(call, rank, new Fault("a call that has failed elsewhere")));
        } else if (own.knowsFailure) {
            kill(call, "a call of a composite call that has failed");
        } else if (call.begun.keySet().containsAll(members)) {
            call.isWhole = true;
            members.forEach(each -> network.onLoop(each, () -> ends(call, each, null)));
        } else {
            killIfNever(call);
        }
    }

    private void killIfNever(Call call) {
        boolean isNever = members.stream()
                .filter(rank -> !call.begun.containsKey(rank))
                .anyMatch(rank -> states[rank].hasAnnounced || states[rank].isOver);
        if (isNever && !call.isWhole) {
            kill(call, "a rank does not make a call");
        }
    }

    /** The deadline of a call. */
    void expire(String name) {
        Call call = Objects.requireNonNull(calls.get(name));
        if (!call.isWhole) {
            kill(call, "a call has waited until its deadline");
        }
    }

    private void kill(Call call, String why) {
        if (call.isDead) {
            return;
        }
        call.isDead = true;
        call.begun.keySet().forEach(rank -> network.onLoop(rank, () -> ends(call, rank, new Fault(why))));
    }

    private void ends(Call call, int rank, @Nullable Throwable error) {
        if (call.ended.add(rank)) {
            states[rank].inFlight--;
            CallEnd end = Objects.requireNonNull(call.begun.get(rank));
            if (error == null) {
                end.succeeded(call.values);
            } else {
                end.failed(error);
            }
            endIfOver(rank);
        }
    }

    /** A rank makes no further call, though it has not ended. */
    void announce(int rank) {
        states[rank].hasAnnounced = true;
        calls.values().forEach(this::killIfNever);
    }

    /** A rank makes no further call, because it is done or has been cancelled. */
    void leave(int rank) {
        Member own = states[rank];
        if (!own.isOver && !own.hasEnded) {
            own.isOver = true;
            calls.values().forEach(this::killIfNever);
            network.onLoop(rank, () -> endIfOver(rank));
        }
    }

    /** A rank fails. */
    void fail(int rank, Throwable error) {
        Member own = states[rank];
        if (!own.isOver && !own.hasEnded) {
            own.isOver = true;
            own.knowsFailure = true;
            own.isSelfFailed = true;
            becomes(error);
            network.onLoop(rank, () -> {
                killUnfinished(rank);
                endIfOver(rank);
            });
        }
    }

    void lost(int rank) {
        if (members.contains(rank)) {
            becomes(new Fault("rank " + rank + " is lost"));
        }
    }

    private void becomes(Throwable error) {
        if (failure == null) {
            failure = error;
            members.stream()
                    .filter(rank -> states[rank].listener != null)
                    .forEach(rank -> network.onLoop(rank, () -> hears(rank)));
        }
    }

    private void hears(int rank) {
        Member own = states[rank];
        if (own.hasEnded || own.isSelfFailed) {
            return;
        }
        own.knowsFailure = true;
        if (own.listener != null) {
            own.listener.stopped();
        }
        killUnfinished(rank);
        own.isOver = true;
        endIfOver(rank);
    }

    private void killUnfinished(int rank) {
        for (Call call : calls.values()) {
            if (call.begun.containsKey(rank) && !call.isWhole) {
                kill(call, "a call of a composite call that has failed");
            }
        }
    }

    private void endIfOver(int rank) {
        Member own = states[rank];
        if (own.isOver && own.inFlight == 0 && !own.hasEnded && own.listener != null) {
            own.hasEnded = true;
            own.listener.ended(own.knowsFailure ? failure : null);
        }
    }
}
