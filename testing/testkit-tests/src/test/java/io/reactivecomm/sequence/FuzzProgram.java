package io.reactivecomm.sequence;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.MonitoredBarrier;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.device.Handle;
import io.reactivecomm.sequence.FuzzPlan.Kind;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.AssembledCalls;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The program of one rank: begins its calls at their times, hears of their ends, and closes what it needs no more. */
final class FuzzProgram implements AssembledCalls {

    private static final Duration LONG = Duration.ofSeconds(60);
    /** Of a call that some rank never makes. */
    private static final Duration IN_VAIN = Duration.ofSeconds(12);

    private static final int COUNT = 4;
    /** One call in so many shares memory. */
    private static final int SHARING = 8;

    /** Of each length that there is; nothing is ever moved. */
    private static final List<Tensor> TENSORS =
            List.of(Tensor.allocate(DType.INT8, COUNT), Tensor.allocate(DType.INT8, COUNT + 1));

    private final FuzzWorld world;
    private final FuzzPlan plan;
    private final FuzzRank own;
    private final int rank;
    private final FuzzRuns runs;
    private final Map<Integer, List<FuzzPlan.Start>> dependent = new HashMap<>();
    /** Of the next message by line, end and peer. */
    private final Map<List<Object>, Long> numbers = new HashMap<>();
    /** Calls by number in the plan, in the order in which they were made. */
    private final List<Integer> begun = new ArrayList<>();
    /** How they ended; null is success. */
    private final Map<Integer, @Nullable Failure> ends = new HashMap<>();

    private final Map<Integer, Long> begunAt = new HashMap<>();
    private final Map<Integer, Long> endedAt = new HashMap<>();
    /** What those were that succeeded. */
    private final Map<Integer, CallKey> met = new HashMap<>();
    /** Those of calls that failed, which engines may have had their hands in. */
    private final List<Handle> hands = new ArrayList<>();
    /** Calls that were not made because a composite had failed. */
    private final Set<Integer> refused = new HashSet<>();

    /** Those that its engine threw with. */
    private final Set<Integer> thrown = new HashSet<>();

    private boolean hasStepped;

    FuzzProgram(FuzzWorld world, FuzzRank own, int rank) {
        this.world = world;
        this.plan = world.plan();
        this.own = own;
        this.rank = rank;
        this.runs = new FuzzRuns(world, rank, own.member());
    }

    FuzzRuns runs() {
        return runs;
    }

    Set<Integer> refused() {
        return refused;
    }

    Map<Integer, @Nullable Failure> ends() {
        return ends;
    }

    List<Integer> begun() {
        return begun;
    }

    long begunAt(int number) {
        return begunAt.get(number);
    }

    long endedAt(int number) {
        return endedAt.get(number);
    }

    List<Handle> hands() {
        return hands;
    }

    /** {@return what a call was that succeeded} */
    @Nullable CallKey met(int number) {
        return met.get(number);
    }

    void met(int number, CallKey as) {
        met.put(number, as);
    }

    Set<Integer> thrown() {
        return thrown;
    }

    private boolean has(Kind kind, int number) {
        return plan.trouble(kind, rank, number) != null;
    }

    void start() {
        for (FuzzPlan.Start start : plan.starts().get(rank)) {
            if (start.after() < 0) {
                world.at(start.at(), () -> begin(start.call()));
            } else {
                dependent
                        .computeIfAbsent(start.after(), ignored -> new ArrayList<>())
                        .add(start);
            }
        }
        if (plan.steppedAt() != FuzzPlan.ONE_STEP) {
            world.at(plan.steppedAt(), () -> own.event(this::step));
        }
    }

    /** All calls of the step have been made. Who made none in a group closes it now, where groups are closed. */
    private void step() {
        hasStepped = true;
        for (int group = 0; group < plan.groups().size(); group++) {
            if (plan.groups().get(group).contains(rank)) {
                own.member().stepped(own.group(group));
                if (inGroup(group).isEmpty()) {
                    closeIfLast(group);
                }
            }
        }
    }

    @Override
    public boolean ifNever(CallKey call, Consumer<Failure> told) {
        boolean isNever = hasStepped && call.step() != CallKey.NO_STEP && !runs.knows(call);
        if (isNever) {
            told.accept(new Failure(Failure.Kind.MISMATCH, rank, "left out"));
        }
        return isNever;
    }

    private void begin(int number) {
        own.event(() -> {
            if (runs.isOpen(number) && !has(Kind.MISSING, number)) {
                make(number);
            } else {
                if (!runs.isOpen(number)) {
                    refused.add(number);
                }
                runs.made(number);
                runs.ended(number);
                proceed(number);
            }
        });
    }

    private void make(int number) {
        begun.add(number);
        begunAt.put(number, world.now());
        EngineCall call = call(number);
        if (!has(Kind.REFUSED, number)) {
            own.member().submit(call, new End(number), world.now());
            runs.made(number);
            return;
        }
        Failure refusal = new Failure(Failure.Kind.INVALID, rank, "refused");
        // As calls are made: who receives from any has no other end to tell.
        if (!LeaderMessages.isFromAny(call.key())) {
            own.member().refused(call.group(), call.key(), refusal);
        }
        runs.made(number);
        ended(number, refusal);
    }

    private EngineCall call(int number) {
        FuzzCall call = plan.calls().get(number);
        boolean differs = has(Kind.MISMATCH, number);
        Enclosure enclosure = worded(call.enclosure());
        return switch (call) {
            case FuzzCall.All all ->
                new EngineCall(
                        own.group(all.group()),
                        all.key().step(),
                        all.key().name(),
                        all.key().ticket(),
                        all.key().ordinal(),
                        enclosure,
                        differs ? new MonitoredBarrier(true) : new Barrier(),
                        deadline(number),
                        all.priority(),
                        false,
                        sharesMemory(number));
            case FuzzCall.End end -> {
                FuzzCall.Line line = end.line();
                Tensor tensor = TENSORS.get(differs ? 1 : 0);
                Collective collective = end.isSend()
                        ? new Send(tensor, end.peer(), line.tag())
                        : new Receive(tensor, end.peer(), line.tag());
                long ticket = numbers.merge(List.of(line.tag(), end.isSend(), end.peer()), 1L, Long::sum) - 1;
                yield new EngineCall(
                        own.group(line.group()),
                        line.step(),
                        line.name(),
                        ticket,
                        1,
                        enclosure,
                        collective,
                        deadline(number),
                        end.priority(),
                        false,
                        sharesMemory(number));
            }
        };
    }

    /** {@return whether a call that was made shares memory with another on this rank, by the chance of its time} */
    boolean sharesMemory(int number) {
        return (begunAt.getOrDefault(number, 0L) + number + rank) % SHARING == 1;
    }

    private Duration deadline(int number) {
        FuzzPlan.Trouble isShort = plan.trouble(Kind.SHORT, rank, number);
        boolean isInVain =
                plan.troubles().stream().anyMatch(each -> each.kind() == Kind.MISSING && each.call() == number);
        return isShort != null ? Duration.ofNanos(isShort.at() + 1) : isInVain ? IN_VAIN : LONG;
    }

    /** {@return an enclosure as this rank has it, which may take its composite for another} */
    private @Nullable Enclosure worded(@Nullable Enclosure enclosure) {
        if (enclosure == null) {
            return null;
        }
        CallKey.Ticket run = enclosure.run();
        boolean differs = plan.troubles().stream()
                .anyMatch(trouble ->
                        trouble.kind() == Kind.RUN_DIFFERS && trouble.rank() == rank && run.equals(plan.run(trouble)));
        CallKey.Ticket outer = new CallKey.Ticket(
                run.generation(),
                run.group(),
                run.step(),
                run.name(),
                run.ticket(),
                run.ordinal(),
                worded(run.enclosure()));
        return new Enclosure(outer, enclosure.operation(), differs ? "other" : enclosure.words());
    }

    /** {@return a call that the engine is given} */
    FuzzEngine.Given given(MemberCall entry, CallCompletion end) {
        int number = ((End) entry.sink()).number;
        return new FuzzEngine.Given(
                entry, end, number, has(Kind.ENGINE_FAILS, number), has(Kind.ENGINE_THROWS, number));
    }

    /** The end of one call. */
    private final class End implements CollectiveEngine.Sink {

        private final int number;

        private End(int number) {
            this.number = number;
        }

        @Override
        public void succeeded(Completion completion) {
            ended(number, null);
        }

        @Override
        public void failed(Failure failure, Handle last) {
            hands.add(last);
            ended(number, failure);
        }

        @Override
        public void runFailed(CallKey.Ticket run, Failure failure) {
            runs.fail(run, failure);
            ended(number, failure);
        }
    }

    private void ended(int number, @Nullable Failure failure) {
        if (ends.containsKey(number)) {
            throw new AssertionError("ended twice: rank=" + rank + ", call=" + number);
        }
        ends.put(number, failure);
        endedAt.put(number, world.now());
        runs.ended(number);
        world.tell(
                rank,
                "ended " + number + ", " + plan.calls().get(number) + (failure == null ? "" : ": " + failure.text()));
        proceed(number);
        closeIfLast(plan.calls().get(number).group());
        if (plan.departs()
                && rank != Leader.RANK
                && ends.size() + refused.size() == plan.starts().get(rank).size()) {
            world.later(own::leave);
        }
    }

    private List<FuzzPlan.Start> inGroup(int group) {
        return plan.starts().get(rank).stream()
                .filter(start -> plan.calls().get(start.call()).group() == group)
                .toList();
    }

    private void closeIfLast(int group) {
        boolean isLast = inGroup(group).stream()
                .allMatch(start -> ends.containsKey(start.call()) || refused.contains(start.call()));
        if (isLast) {
            switch (plan.closing()) {
                case NEVER -> {}
                case AT_ONCE -> own.closeGroup(own.group(group));
                case LATER -> world.later(() -> own.closeGroup(own.group(group)));
            }
        }
    }

    private void proceed(int number) {
        for (FuzzPlan.Start start : dependent.getOrDefault(number, List.of())) {
            world.at(world.now() + start.at(), () -> begin(start.call()));
        }
    }
}
