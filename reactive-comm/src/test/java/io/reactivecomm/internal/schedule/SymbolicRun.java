package io.reactivecomm.internal.schedule;

import io.reactivecomm.internal.schedule.SymbolicMemory.Value;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * All ranks' parts of one call, run on symbols instead of numbers.
 *
 * <p>A granted send does nothing by itself: its elements are read at the moment in which the receiver takes them, which is the latest
 * that any link may read them. An eager send copies its elements when all are ready, and is done. What is ready is taken in a random order
 * and in random amounts, and any step may be held at one of its elements: what then cannot happen comes after that element in every run.
 */
final class SymbolicRun {

    /** Nothing is held. */
    static final Held NOTHING = new Held(-1, -1, 0);

    private final List<SymbolicMemory> memories;
    private final boolean eager;
    private final Held held;
    private final Random random;
    private final List<List<Running>> running = new ArrayList<>();
    private final List<Running> unfinished = new ArrayList<>();

    /** In {@link Held}: every step of the rank. */
    static final int ALL_STEPS = -2;

    /** A step that may not deal with its elements from that one on. */
    record Held(int rank, int step, long element) {

        private boolean holds(Running each) {
            return each.rank == rank && (each.index == step || step == ALL_STEPS);
        }
    }

    /** A step and how far it is. */
    static final class Running {

        final int rank;
        final Step step;
        private final int index;
        /** The sends that it takes from. */
        final List<Running> sources = new ArrayList<>();
        /** Those whose turn may have come when this one goes on. */
        private final List<Running> followers = new ArrayList<>(2);

        private boolean mayGoOn = true;
        private long progress;
        private boolean done;
        /** What an eager send has copied. */
        private Value[] copies;

        private Running(int rank, Step step, int index) {
            this.rank = rank;
            this.step = step;
            this.index = index;
        }

        /** What a granted send lets happen happens at its receiver. */
        private void wakeFollowers() {
            for (Running follower : followers) {
                follower.mayGoOn = true;
                if (follower.step instanceof Step.Send) {
                    follower.followers.forEach(receiver -> receiver.mayGoOn = true);
                }
            }
        }
    }

    /** @param eager whether sends copy their elements instead of waiting for the receiver */
    SymbolicRun(List<Schedule> schedules, List<SymbolicMemory> memories, boolean eager, Held held, long seed) {
        this.memories = memories;
        this.eager = eager;
        this.held = held;
        this.random = new Random(seed);
        for (int rank = 0; rank < schedules.size(); rank++) {
            List<Running> steps = new ArrayList<>();
            for (Step step : schedules.get(rank).steps()) {
                steps.add(new Running(rank, step, steps.size()));
            }
            running.add(steps);
            unfinished.addAll(steps);
        }
        pair();
        for (Running each : unfinished) {
            each.sources.forEach(source -> source.followers.add(each));
            each.step
                    .waits()
                    .forEach(wait ->
                            running.get(each.rank).get(wait.step()).followers.add(each));
        }
    }

    /** Gives every receiver the n-th send of its peer, and requires that every send has a receiver. */
    private void pair() {
        List<ArrayDeque<Running>> sends = new ArrayList<>();
        IntStream.range(0, running.size() * running.size()).forEach(ignored -> sends.add(new ArrayDeque<>(2)));
        for (Running each : unfinished) {
            if (each.step instanceof Step.Send send) {
                sends.get(each.rank * running.size() + send.peer()).add(each);
            }
        }
        for (Running each : unfinished) {
            switch (each.step) {
                case Step.Receive receive ->
                    take(sends, each, receive.peer(), receive.target().buffer() == Buffer.SCRATCH);
                case Step.Fold fold ->
                    fold.sources().forEach(source -> {
                        if (source instanceof Step.Source.Remote remote) {
                            take(sends, each, remote.peer(), remote.partial());
                        }
                    });
                case Step.Send ignored -> {}
                case Step.Copy ignored -> {}
            }
        }
        sends.forEach(left -> require(left.isEmpty(), "a send without a receiver"));
    }

    private void take(List<ArrayDeque<Running>> sends, Running taker, int peer, boolean partial) {
        Running send = sends.get(peer * running.size() + taker.rank).poll();
        require(send != null, "a receiver without a send");
        boolean sendsPartials = ((Step.Send) send.step).source().buffer() == Buffer.SCRATCH;
        require(send.step.count() == taker.step.count(), "a transfer of two counts");
        require(sendsPartials == partial, "a transfer of two kinds of element");
        taker.sources.add(send);
    }

    /** Runs until nothing can happen any more. {@return this} */
    SymbolicRun run() {
        boolean changed = true;
        while (changed) {
            changed = false;
            boolean forward = random.nextBoolean();
            for (int i = 0; i < unfinished.size(); i++) {
                Running each = unfinished.get(forward ? i : unfinished.size() - 1 - i);
                if (each.mayGoOn) {
                    each.mayGoOn = advance(each);
                    changed |= each.mayGoOn;
                }
            }
            unfinished.removeIf(each -> each.done);
        }
        return this;
    }

    private boolean advance(Running each) {
        if (each.done) {
            return false;
        }
        if (each.step instanceof Step.Send send) {
            return advanceSend(each, send);
        }
        long limit = limit(each);
        for (Running source : each.sources) {
            limit = Math.min(limit, available(source));
        }
        if (limit < each.progress || (limit == each.progress && each.step.count() > 0)) {
            return false;
        }
        long until = random.nextInt(4) == 0 && limit > each.progress + 1 ? each.progress + 1 : limit;
        for (long i = each.progress; i < until; i++) {
            perform(each, i);
        }
        progressTo(each, until);
        if (!eager) {
            each.sources.forEach(source -> progressTo(source, until));
        }
        return true;
    }

    /** An eager send is done when all is copied, and one without elements as soon as it may begin. */
    private boolean advanceSend(Running each, Step.Send send) {
        if ((send.count() > 0 && !eager) || limit(each) < send.count()) {
            return false;
        }
        each.copies = new Value[(int) send.count()];
        for (int i = 0; i < each.copies.length; i++) {
            each.copies[i] = memories.get(each.rank).read(send.source(), i);
        }
        progressTo(each, send.count());
        return true;
    }

    private static void progressTo(Running each, long elements) {
        each.progress = elements;
        each.done |= elements == each.step.count();
        each.wakeFollowers();
    }

    private long available(Running send) {
        if (eager || send.step.count() == 0) {
            return send.done ? send.step.count() : -1;
        }
        return limit(send);
    }

    /** {@return how many elements the step may touch as far as its own rank is concerned, or −1 if it may not begin} */
    private long limit(Running each) {
        long limit = each.step.count();
        for (Wait wait : each.step.waits()) {
            Running other = running.get(each.rank).get(wait.step());
            if (wait.whole() || other.step.count() == 0) {
                limit = other.done ? limit : -1;
            } else {
                limit = Math.min(limit, other.progress);
            }
        }
        return held.holds(each) ? Math.min(limit, heldLimit()) : limit;
    }

    private long heldLimit() {
        return held.element == 0 ? -1 : held.element;
    }

    private void perform(Running each, long i) {
        SymbolicMemory memory = memories.get(each.rank);
        switch (each.step) {
            case Step.Receive receive -> memory.write(receive.target(), i, received(each.sources.getFirst(), i));
            case Step.Copy copy -> memory.write(copy.target(), i, memory.read(copy.source(), i));
            case Step.Fold fold -> {
                require(
                        fold.finish() == (fold.target().buffer() == Buffer.OUTPUT),
                        "partial results live in scratch, and nothing else does");
                memory.write(fold.target(), i, folded(each, fold, i));
            }
            case Step.Send send -> throw new IllegalStateException("a send does nothing by itself: " + send);
        }
    }

    private Value received(Running send, long i) {
        return eager ? send.copies[(int) i] : memories.get(send.rank).read(((Step.Send) send.step).source(), i);
    }

    private Value folded(Running each, Step.Fold fold, long i) {
        List<Value> operands = new ArrayList<>();
        int remote = 0;
        for (Step.Source source : fold.sources()) {
            operands.add(
                    switch (source) {
                        case Step.Source.Local local -> memories.get(each.rank).read(local.span(), i);
                        case Step.Source.Remote ignored -> received(each.sources.get(remote++), i);
                    });
        }
        return Value.folded(operands, fold.finish());
    }

    boolean isComplete() {
        return running.stream().allMatch(steps -> steps.stream().allMatch(each -> each.done));
    }

    boolean isComplete(int rank) {
        return running.get(rank).stream().allMatch(each -> each.done);
    }

    /** {@return how far a step is} */
    long progress(int rank, int step) {
        return running.get(rank).get(step).progress;
    }

    /** {@return the longest chain of transfers that ends on any rank} */
    int depth() {
        return new SendDepths(running, (rank, peer) -> true).most();
    }

    /** {@return where in the chains of transfers that lead from one host to another each of them comes} */
    SendDepths depthsBetweenHosts(Layout layout) {
        return new SendDepths(running, layout::isBetweenHosts);
    }

    private static void require(boolean fact, String otherwise) {
        if (!fact) {
            throw new AssertionError(otherwise);
        }
    }
}
