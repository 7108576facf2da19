package io.reactivecomm.internal.engine;

import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.schedule.choice.Wish;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Engines of all ranks over {@link QueuedLink}s, with a clock that stands still until it is moved. One thread. */
final class EngineWorld implements AutoCloseable {

    final List<Engine> engines = new ArrayList<>();
    final List<GroupState> groups = new ArrayList<>();
    final List<List<String>> warnings = new ArrayList<>();
    private final List<List<QueuedLink>> links = new ArrayList<>();
    private final Random random;
    private final Selection selection;
    private long now = 1_000_000_000_000L;

    EngineWorld(int size, EngineLimits limits, long seed) {
        this(size, limits, seed, link -> {});
    }

    /** @param hints has each link say what it is like, before its engine asks */
    EngineWorld(int size, EngineLimits limits, long seed, Consumer<QueuedLink> hints) {
        this.random = new Random(seed);
        this.selection = Selection.DEFAULT.within(limits.eagerBytes());
        List<Integer> ranks = IntStream.range(0, size).boxed().toList();
        for (int rank = 0; rank < size; rank++) {
            List<QueuedLink> own = new ArrayList<>();
            List<String> said = new ArrayList<>();
            for (int peer = 0; peer < size; peer++) {
                if (peer != rank) {
                    QueuedLink link = new QueuedLink(this, rank, peer);
                    hints.accept(link);
                    own.add(link);
                }
            }
            links.add(own);
            warnings.add(said);
            engines.add(new Engine(rank, own, limits, said::add));
            groups.add(new GroupState(0, 0, ranks, rank));
            engines.get(rank).register(groups.get(rank));
        }
    }

    /** The end of a call. */
    static final class End implements CallSink {

        @Nullable Work work;

        @Nullable Failure failure;

        long at;
        private final EngineWorld world;

        private End(EngineWorld world) {
            this.world = world;
        }

        boolean isThere() {
            return work != null || failure != null;
        }

        /** {@return why it failed; requires that it did} */
        Failure whyNot() {
            if (failure == null) {
                throw new AssertionError("no failure: work=" + work);
            }
            return failure;
        }

        @Override
        public void succeeded(Work result) {
            requireFirst();
            work = result;
        }

        @Override
        public void failed(Failure cause) {
            requireFirst();
            failure = cause;
        }

        private void requireFirst() {
            if (isThere()) {
                throw new AssertionError("a call ended twice: work=" + work + ", failure=" + failure);
            }
            at = world.now;
        }
    }

    long now() {
        return now;
    }

    QueuedLink link(int from, int to) {
        return links.get(from).get(to < from ? to : to - 1);
    }

    End allReduce(int rank, String name, Tensor input, Tensor output, Reduction op, Duration timeout) {
        return collective(rank, name, new AllReduce(input, output, op), timeout);
    }

    End barrier(int rank, String name, Duration timeout) {
        return collective(rank, name, new Barrier(), timeout);
    }

    End collective(int rank, String name, Collective call, Duration timeout) {
        Schedule schedule = selection
                .algorithm(call, Layout.apart(groups.size()), Wish.NONE)
                .schedule(Place.of(call, rank, Layout.apart(groups.size())));
        return submit(
                rank,
                new Submission.Address.Collectively(new CallKey.Ticket(0, 0, name, 0, 1)),
                call,
                schedule,
                timeout);
    }

    /** A call whose scheduled collectives are given. */
    End collective(int rank, String name, Submission.Body.Valid body, Duration timeout) {
        return submit(rank, new Submission.Address.Collectively(new CallKey.Ticket(0, 0, name, 0, 1)), body, timeout);
    }

    End send(int rank, int peer, int tag, Tensor tensor, Duration timeout) {
        return submit(rank, new Submission.Address.To("", tag, peer), new Send(tensor, peer, tag), null, timeout);
    }

    End receive(int rank, int peer, int tag, Tensor tensor, Duration timeout) {
        return submit(rank, new Submission.Address.From("", tag, peer), new Receive(tensor, peer, tag), null, timeout);
    }

    /** A receive under a name. */
    End receive(int rank, String name, int peer, Tensor tensor, Duration timeout) {
        return submit(rank, new Submission.Address.From(name, 0, peer), new Receive(tensor, peer, 0), null, timeout);
    }

    /** A collective of another group than the world's. */
    End collective(GroupState group, String name, Collective call, Duration timeout) {
        Schedule schedule = selection
                .algorithm(call, Layout.apart(group.size()), Wish.NONE)
                .schedule(Place.of(call, group.rank(), Layout.apart(group.size())));
        Submission.Address address = new Submission.Address.Collectively(new CallKey.Ticket(0, group.id(), name, 0, 1));
        return submit(group, address, call, schedule, timeout);
    }

    /** A message in another group than the world's. */
    End send(GroupState group, int peer, Tensor tensor, Duration timeout) {
        return submit(group, new Submission.Address.To("", 0, peer), new Send(tensor, peer, 0), null, timeout);
    }

    /** Its receive. */
    End receive(GroupState group, int peer, Tensor tensor, Duration timeout) {
        return submit(group, new Submission.Address.From("", 0, peer), new Receive(tensor, peer, 0), null, timeout);
    }

    private End submit(
            GroupState group,
            Submission.Address address,
            Collective call,
            @Nullable Schedule schedule,
            Duration timeout) {
        int rank = group.worldRanks().get(group.rank());
        return submit(rank, group, address, body(call, schedule, group.size()), timeout);
    }

    /** A call whose checks failed. */
    End refused(int rank, Submission.Address address, Failure failure) {
        return submit(rank, address, new Submission.Body.Invalid(failure), Duration.ofMinutes(1));
    }

    private End submit(
            int rank, Submission.Address address, Collective call, @Nullable Schedule schedule, Duration timeout) {
        if ((schedule == null) != (call.operation() == Operation.MESSAGE)) {
            throw new IllegalArgumentException("a collective has a schedule, a message has none");
        }
        return submit(rank, address, body(call, schedule, groups.size()), timeout);
    }

    private static Submission.Body body(Collective call, @Nullable Schedule schedule, int size) {
        return schedule == null ? Submission.Body.Valid.message(call) : new Submission.Body.Valid(call, schedule, size);
    }

    private End submit(int rank, Submission.Address address, Submission.Body body, Duration timeout) {
        return submit(rank, groups.get(rank), address, body, timeout);
    }

    /** A call within a run of a composite call. */
    End within(Composite run, int rank, Submission.Address address, Collective call) {
        Schedule schedule = call.operation() == Operation.MESSAGE
                ? null
                : selection
                        .algorithm(call, Layout.apart(groups.size()), Wish.NONE)
                        .schedule(Place.of(call, rank, Layout.apart(groups.size())));
        End end = new End(this);
        engines.get(rank)
                .submit(
                        new Submission(
                                groups.get(rank),
                                run,
                                address,
                                body(call, schedule, groups.size()),
                                now,
                                Duration.ofMinutes(1).toNanos(),
                                0,
                                "",
                                null,
                                end),
                        now);
        turn(rank);
        return end;
    }

    private End submit(int rank, GroupState group, Submission.Address address, Submission.Body body, Duration timeout) {
        End end = new End(this);
        engines.get(rank).submit(new Submission(group, address, body, now, timeout.toNanos(), end), now);
        turn(rank);
        return end;
    }

    /** What a driver does at the end of a turn. */
    void turn(int rank) {
        engines.get(rank).flush();
        while (engines.get(rank).deliverSignal(now)) {
            engines.get(rank).flush();
        }
    }

    /** Delivers what is on the links, in a random order between links, until nothing is. {@return this} */
    EngineWorld settle() {
        List<QueuedLink> busy = busy();
        while (!busy.isEmpty()) {
            busy.get(random.nextInt(busy.size())).deliver();
            busy = busy();
        }
        return this;
    }

    /** Delivers something that is on a link, if anything is. */
    void deliverOne() {
        List<QueuedLink> busy = busy();
        if (!busy.isEmpty()) {
            busy.get(random.nextInt(busy.size())).deliver();
        }
    }

    private List<QueuedLink> busy() {
        List<QueuedLink> busy = new ArrayList<>();
        links.forEach(own -> own.forEach(link -> {
            if (link.isBusy()) {
                busy.add(link);
            }
        }));
        return busy;
    }

    /** Moves the clock, from deadline to deadline. */
    void pass(Duration time) {
        long until = now + time.toNanos();
        settle();
        for (long next = nextDeadline(); next <= until; next = nextDeadline()) {
            now = Math.max(now, next);
            for (int rank = 0; rank < engines.size(); rank++) {
                if (engines.get(rank).nextDeadline() <= now) {
                    engines.get(rank).time(now);
                    turn(rank);
                }
            }
            settle();
        }
        now = until;
    }

    private long nextDeadline() {
        return engines.stream().mapToLong(Engine::nextDeadline).min().orElse(Long.MAX_VALUE);
    }

    /** {@return the most bytes that any rank ever had under way from any other} */
    long peakBytesInFlight() {
        long peak = 0;
        for (int rank = 0; rank < engines.size(); rank++) {
            for (int peer = 0; peer < engines.size(); peer++) {
                peak = Math.max(peak, peer == rank ? 0 : engines.get(rank).peakBytesInFlight(peer));
            }
        }
        return peak;
    }

    @Override
    public void close() {
        engines.forEach(Engine::close);
    }
}
