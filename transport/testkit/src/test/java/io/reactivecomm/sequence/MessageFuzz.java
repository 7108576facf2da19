package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Formation;
import io.reactivecomm.testkit.sim.EventQueue;
import io.reactivecomm.testkit.sim.SeededRandom;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Worlds of sequencers that exchange messages, one for each seed; whether each end meets the one that it should is for {@link MessageJudge}. */
public final class MessageFuzz {

    /** What {@link #firstFailure} says when no seed failed. */
    public static final long NO_SEED = -1;

    private static final int MOST_EVENTS = 100_000;

    /** {@return the first of consecutive seeds that fails, or {@link #NO_SEED}} */
    public long firstFailure(long from, int count) {
        for (long seed = from; seed < from + count; seed++) {
            if (run(seed, new EventQueue(new SeededRandom(~seed), false)) != null) {
                return seed;
            }
        }
        return NO_SEED;
    }

    /** {@return a seed's last events, its plan, and what is wrong with it} */
    public String report(long seed) {
        EventQueue agenda = new EventQueue(new SeededRandom(~seed), true);
        String violation = run(seed, agenda);
        return "seed=" + seed + "\n" + String.join("\n", agenda.lines()) + "\nplan: " + MessagePlan.of(new SeededRandom(seed)) + "\nseed=" + seed
                + ", violation: " + violation;
    }

    private static @Nullable String run(long seed, EventQueue agenda) {
        SeededRandom dice = new SeededRandom(seed);
        World world = new World(MessagePlan.of(dice), dice, agenda);
        try {
            world.run();
            new MessageJudge(world).judge();
            return null;
        } catch (RuntimeException | AssertionError e) {
            return e + " at " + List.of(e.getStackTrace()).subList(0, Math.min(6, e.getStackTrace().length));
        }
    }

    /** Members and their leader over a virtual network, which keeps the order between two ranks and nothing else. */
    static final class World {

        private final MessagePlan plan;
        private final SeededRandom dice;
        private final EventQueue agenda;
        private final List<MessageRank> ranks = new ArrayList<>();
        private final Leader leader;
        private final Map<Integer, Long> lastArrival = new HashMap<>();
        private boolean announceDue;
        private boolean leaderClosed;
        private boolean meetDue;
        private long leaderTimerAt = Leader.NEVER;

        private World(MessagePlan plan, SeededRandom dice, EventQueue agenda) {
            this.plan = plan;
            this.dice = dice;
            this.agenda = agenda;
            this.leader = new Leader(plan.worldSize(), plan.slots(), Formation.NOBODY, this::tellMember);
            for (int rank = 0; rank < plan.worldSize(); rank++) {
                ranks.add(new MessageRank(this, rank));
            }
        }

        MessagePlan plan() {
            return plan;
        }

        List<MessageRank> ranks() {
            return ranks;
        }

        Leader leader() {
            return leader;
        }

        boolean isLed() {
            return !ranks.get(Leader.RANK).isDead() && !leaderClosed;
        }

        long now() {
            return agenda.now();
        }

        void at(long time, Runnable action) {
            agenda.at(time, action);
        }

        void later(Runnable action) {
            at(now() + dice.between(0, plan.slowness()), action);
        }

        void tell(int rank, String line) {
            agenda.tell(rank, () -> line);
        }

        private void run() {
            for (int i = 0; i < plan.ends().size(); i++) {
                MessagePlan.End end = plan.ends().get(i);
                int number = i;
                if (!plan.has(MessagePlan.Kind.MISSING, i)) {
                    at(end.at(), () -> ranks.get(end.rank()).begin(number));
                }
            }
            plan.barriers().forEach(barrier -> at(barrier.at(), () -> ranks.get(barrier.rank()).barrier(barrier)));
            ranks.forEach(rank -> at(plan.steppedAt(), rank::step));
            MessagePlan.Trouble trouble = plan.trouble();
            if (trouble != null) {
                prepare(trouble, plan.ends().get(trouble.end()));
            }
            while (agenda.next()) {
                if (agenda.happened() > MOST_EVENTS) {
                    throw new AssertionError("it goes on for ever");
                }
            }
        }

        private void prepare(MessagePlan.Trouble trouble, MessagePlan.End end) {
            switch (trouble.kind()) {
                case MISMATCH, REFUSED, MISSING, SHORT -> {}
                case ABORT -> at(trouble.at(), () -> failGroup(plan.groupOf(end), new Failure(Failure.Kind.CLOSED, end.rank(), "aborted")));
                case LOST -> at(trouble.at(), () -> lose(end.rank()));
                case LEAVES -> at(trouble.at(), () -> leave(end.rank()));
            }
        }

        private void failGroup(int group, Failure cause) {
            for (int each : plan.groups().get(group)) {
                later(() -> ranks.get(each).event(() -> ranks.get(each).member().failGroup(ranks.get(each).group(group), cause)));
            }
        }

        private void lose(int lost) {
            ranks.get(lost).die();
            Failure cause = new Failure(Failure.Kind.PEER_LOST, lost, "lost");
            for (int group = 0; group < plan.groups().size(); group++) {
                if (plan.groups().get(group).contains(lost)) {
                    failGroup(group, cause);
                }
            }
            if (lost == Leader.RANK) {
                ranks.forEach(rank -> later(() -> rank.event(() -> rank.member().leaderGone(cause, true))));
            } else {
                later(() -> leaderEvent(() -> leader.gone(lost, cause, true)));
            }
        }

        private void leave(int rank) {
            ranks.get(rank).leave();
            if (rank == Leader.RANK) {
                at(lastArrival.getOrDefault(Leader.RANK, now()) + 1, () -> leaderEvent(() -> {
                    leader.close();
                    leaderClosed = true;
                }));
            }
        }

        /** Ranks that are at the same call get on with it, in a while. */
        void meet() {
            if (!meetDue) {
                meetDue = true;
                later(() -> {
                    meetDue = false;
                    ranks.forEach(rank -> List.copyOf(rank.atWork().keySet()).forEach(this::meet));
                });
            }
        }

        private void meet(CallKey key) {
            List<MessageRank> members = membersOf(key);
            if (members.stream().allMatch(each -> each.atWork().containsKey(key))) {
                long lengths = members.stream().map(each -> each.atWork().get(key).call().collective().signature()).distinct().count();
                if (lengths > 1) {
                    throw new AssertionError("an engine was given ends that differ: " + key.label());
                }
                members.forEach(each -> each.complete(key));
                meet();
            }
        }

        private List<MessageRank> membersOf(CallKey key) {
            List<Integer> all = plan.groups().get((int) key.group());
            List<Integer> own = key instanceof CallKey.Message message ? List.of(all.get(message.source()), all.get(message.destination())) : all;
            return own.stream().map(ranks::get).toList();
        }

        private void leaderEvent(Runnable event) {
            if (!isLed()) {
                return;
            }
            event.run();
            if (!announceDue) {
                announceDue = true;
                later(() -> {
                    announceDue = false;
                    if (isLed()) {
                        leader.announce();
                    }
                });
            }
            if (leader.next() < leaderTimerAt) {
                leaderTimerAt = leader.next();
                at(leaderTimerAt, () -> {
                    leaderTimerAt = Leader.NEVER;
                    leaderEvent(() -> leader.time(now()));
                });
            }
        }

        void tellLeader(int from, Notice notice) {
            if (!ranks.get(from).isDead()) {
                tell(from, "says " + notice);
                send(from, from == Leader.RANK, notice, read -> leaderEvent(() -> leader.take(from, read, now())));
            }
        }

        private void tellMember(int to, Notice notice) {
            tell(Leader.RANK, "as the leader tells " + to + " " + notice);
            send(plan.worldSize() + to, to == Leader.RANK, notice, read -> ranks.get(to).event(() -> ranks.get(to).member().take(read)));
        }

        /** Sends a notice as bytes. */
        private void send(int line, boolean withinRank, Notice notice, Consumer<Notice> receiver) {
            byte[] bytes = NoticeWriter.bytes(notice);
            ByteBuffer body = ByteBuffer.wrap(bytes, NoticeLayout.LENGTH_BYTES, bytes.length - NoticeLayout.LENGTH_BYTES).slice();
            Notice read = NoticeReader.read(body, plan.worldSize());
            long delay = withinRank ? 0 : dice.between(0, plan.slowness());
            long arrival = Math.max(now() + delay, lastArrival.getOrDefault(line, -1L) + 1);
            lastArrival.put(line, arrival);
            at(arrival, () -> receiver.accept(read));
        }
    }
}
