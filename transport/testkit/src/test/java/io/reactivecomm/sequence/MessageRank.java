package io.reactivecomm.sequence;

import io.reactivecomm.DType;
import io.reactivecomm.Handle;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.spi.AssembledCalls;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.EngineCall;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One rank: its ends, its member, and an engine that works off what it is given in that order and nothing beside it. */
final class MessageRank implements Member.Effects, AssembledCalls {

    private static final Duration LONG = Duration.ofSeconds(1000);

    /** Of each length that there is; nothing is ever moved. */
    private static final List<Tensor> TENSORS =
            List.of(Tensor.allocate(DType.INT8, MessagePlan.COUNT), Tensor.allocate(DType.INT8, MessagePlan.COUNT + 1));

    private final MessageFuzz.World world;
    private final int rank;
    private final Member member;
    private final Deque<Map<CallKey, MemberCall>> work = new ArrayDeque<>();
    private final Map<List<Object>, Long> numbers = new HashMap<>();
    /** The ends that were made, in their order, by number in the plan. */
    private final List<Integer> made = new ArrayList<>();
    /** How they ended; null is success. */
    private final Map<Integer, @Nullable Failure> ends = new LinkedHashMap<>();
    private final Map<Integer, Long> endedAt = new HashMap<>();
    /** The messages of those that succeeded. */
    private final Map<Integer, CallKey.Message> met = new HashMap<>();
    private final List<Long> abandoned = new ArrayList<>();
    private boolean dead;
    private boolean hasStepped;
    private long timerAt = Leader.NEVER;

    MessageRank(MessageFuzz.World world, int rank) {
        this.world = world;
        this.rank = rank;
        this.member = new Member(rank, world.plan().slots(), this);
    }

    Member member() {
        return member;
    }

    List<Integer> made() {
        return made;
    }

    Map<Integer, @Nullable Failure> ends() {
        return ends;
    }

    long endedAt(int end) {
        return endedAt.get(end);
    }

    Map<Integer, CallKey.Message> met() {
        return met;
    }

    List<Long> abandoned() {
        return abandoned;
    }

    boolean isDead() {
        return dead;
    }

    void die() {
        dead = true;
        work.clear();
    }

    void leave() {
        event(() -> {
            member.close();
            stop(each -> true, FailureTexts.closed(rank));
        });
    }

    /** Something happens to the rank, if it is still there. */
    void event(Runnable event) {
        if (!dead) {
            event.run();
            long next = member.next();
            if (next < timerAt) {
                timerAt = next;
                world.at(next, () -> {
                    timerAt = Leader.NEVER;
                    event(() -> member.time(world.now()));
                });
            }
        }
    }

    void begin(int number) {
        MessagePlan.End end = world.plan().ends().get(number);
        MessagePlan.Line line = world.plan().lines().get(end.line());
        event(() -> {
            Tensor tensor = TENSORS.get(world.plan().has(MessagePlan.Kind.MISMATCH, number) ? 1 : 0);
            Collective collective = end.isSend() ? new Send(tensor, end.peer(), line.tag()) : new Receive(tensor, end.peer(), line.tag());
            long ticket = numbers.merge(List.of(end.line(), end.isSend(), end.peer()), 1L, Long::sum) - 1;
            Duration deadline = world.plan().has(MessagePlan.Kind.SHORT, number) ? Duration.ofNanos(world.plan().trouble().at() + 1) : LONG;
            EngineCall call = new EngineCall(
                    group(line.group()), line.step(), line.name(), ticket, 1, null, collective, deadline, end.priority(), false);
            made.add(number);
            if (!world.plan().has(MessagePlan.Kind.REFUSED, number)) {
                member.submit(call, new End(number, call), world.now());
                return;
            }
            Failure refusal = new Failure(Failure.Kind.INVALID, rank, "refused");
            // As calls are made: who receives from any has no other end to tell.
            if (end.peer() >= 0) {
                member.refused(call.group(), call.key(), refusal);
            }
            ends.put(number, refusal);
        });
    }

    EngineGroup group(int number) {
        return world.plan().group(number, rank, this);
    }

    /** All ends of the step have been made. */
    void step() {
        event(() -> {
            hasStepped = true;
            for (int group = 0; group < world.plan().groups().size(); group++) {
                if (world.plan().groups().get(group).contains(rank)) {
                    member.stepped(group(group));
                }
            }
        });
    }

    @Override
    public boolean ifNever(CallKey call, Consumer<Failure> told) {
        boolean isNever = hasStepped && call.step() != CallKey.NO_STEP;
        if (isNever) {
            told.accept(new Failure(Failure.Kind.MISMATCH, rank, "left out"));
        }
        return isNever;
    }

    void barrier(MessagePlan.Barrier barrier) {
        event(() -> {
            EngineCall call = new EngineCall(group(barrier.group()), "", barrier.ticket(), 1, new Barrier(), LONG, 0);
            member.submit(call, new End(-1, call), world.now());
        });
    }

    /** The end of one end, which comes once. */
    private final class End implements CollectiveEngine.Sink {

        private final int number;
        private final EngineCall call;
        private boolean over;

        private End(int number, EngineCall call) {
            this.number = number;
            this.call = call;
        }

        @Override
        public void succeeded(Completion completion) {
            ended(null);
        }

        @Override
        public void failed(Failure failure, Handle hands) {
            ended(failure);
        }

        @Override
        public void runFailed(CallKey.Ticket run, Failure failure) {
            throw new AssertionError("there is no run: " + run);
        }

        private void ended(@Nullable Failure failure) {
            world.tell(rank, "ended " + call.key().label() + (failure == null ? "" : ": " + failure.text()));
            if (over) {
                throw new AssertionError("ended twice: rank=" + rank + ", call=" + call.key().label());
            }
            over = true;
            if (number >= 0) {
                ends.put(number, failure);
                endedAt.put(number, world.now());
            }
        }
    }

    @Override
    public void send(Notice notice) {
        world.tellLeader(rank, notice);
    }

    @Override
    public void run(List<MemberCall> batch) {
        Map<CallKey, MemberCall> whole = new LinkedHashMap<>();
        for (MemberCall entry : batch) {
            world.tell(rank, "begins " + entry.call().key().label());
            whole.put(entry.call().key(), entry);
            if (!world.plan().coalesced()) {
                work.add(new LinkedHashMap<>(Map.of(entry.call().key(), entry)));
            }
        }
        if (world.plan().coalesced()) {
            work.add(whole);
        }
        world.meet();
    }

    /** {@return the calls that the rank is at, as both ends know them} */
    Map<CallKey, MemberCall> atWork() {
        return work.isEmpty() ? Map.of() : work.getFirst();
    }

    /** All ranks of a call are at it. */
    void complete(CallKey key) {
        MemberCall entry = work.getFirst().remove(key);
        work.removeIf(Map::isEmpty);
        if (key instanceof CallKey.Message message && entry.sink() instanceof End end) {
            met.put(end.number, message);
        }
        event(() -> new CallCompletion("test", entry, member, this::event).succeeded(Completion.of("")));
    }

    private void stop(Predicate<MemberCall> which, Failure cause) {
        for (Map<CallKey, MemberCall> batch : List.copyOf(work)) {
            for (MemberCall entry : List.copyOf(batch.values())) {
                if (which.test(entry)) {
                    batch.remove(entry.call().key());
                    new CallCompletion("test", entry, member, this::event).failed(cause);
                }
            }
        }
        work.removeIf(Map::isEmpty);
        world.meet();
    }

    @Override
    public void fail(CollectiveEngine.Sink sink, Failure cause) {
        sink.failed(cause);
    }

    @Override
    public void failRun(CollectiveEngine.Sink sink, CallKey.Ticket run, Failure cause) {
        sink.runFailed(run, cause);
    }

    @Override
    public void abandon(EngineGroup group, Failure cause, List<MemberCall> running) {
        abandoned.add(group.id());
        world.later(() -> event(() -> stop(entry -> entry.call().group().id() == group.id(), cause)));
    }

    @Override
    public void failed(GroupKey group, Failure cause) {}

    @Override
    public void open(GroupOpening opening) {
        throw new AssertionError("nothing is opened here: " + opening);
    }

    @Override
    public void free(GroupOpening opening) {
        throw new AssertionError("nothing is freed here: " + opening);
    }

    @Override
    public void warn(String text) {
        world.tell(rank, text);
    }
}
