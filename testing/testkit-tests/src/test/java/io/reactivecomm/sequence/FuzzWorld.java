package io.reactivecomm.sequence;

import io.reactivecomm.simulator.EventQueue;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.testkit.SeededRandom;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** A world of members and their leader over a virtual network, which keeps the order between two ranks and nothing else. */
final class FuzzWorld {

    /** What is said of a run that fails. */
    static final String BODY_FAILED = "a body failed";

    private static final int MOST_EVENTS = 200_000;

    private final FuzzPlan plan;
    private final SeededRandom dice;
    private final EventQueue agenda;
    private final List<FuzzRank> ranks = new ArrayList<>();
    private final Leader leader;
    /** By line: of each member to the leader, then of the leader to each member. */
    private final Map<Integer, Long> lastArrival = new HashMap<>();

    private boolean announceDue;
    private boolean leaderClosed;
    private long leaderTimerAt = Leader.NEVER;
    private int newPlaces;
    private int places;

    FuzzWorld(FuzzPlan plan, SeededRandom dice, EventQueue agenda) {
        this.plan = plan;
        this.dice = dice;
        this.agenda = agenda;
        this.leader = new Leader(plan.worldSize(), plan.slots(), plan.formation(), this::tellMember);
        for (int rank = 0; rank < plan.worldSize(); rank++) {
            ranks.add(new FuzzRank(this, rank));
        }
    }

    FuzzPlan plan() {
        return plan;
    }

    FuzzRank rank(int rank) {
        return ranks.get(rank);
    }

    Leader leader() {
        return leader;
    }

    List<FuzzRank> ranks() {
        return ranks;
    }

    /** {@return whether the leader is there} */
    boolean isLed() {
        return !rank(Leader.RANK).isDead() && !leaderClosed;
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

    /** {@return places announced so far that had no short reference} */
    int newPlaces() {
        return newPlaces;
    }

    /** {@return places announced so far, as often as they were sent} */
    int places() {
        return places;
    }

    void run() {
        ranks.forEach(rank -> rank.program().start());
        plan.troubles().forEach(this::prepare);
        while (agenda.next()) {
            if (agenda.happened() > MOST_EVENTS) {
                throw new AssertionError("it goes on for ever");
            }
        }
    }

    private void prepare(FuzzPlan.Trouble trouble) {
        FuzzRank rank = ranks.get(trouble.rank());
        switch (trouble.kind()) {
            case MISMATCH, REFUSED, MISSING, SHORT, ENGINE_FAILS, ENGINE_THROWS, OPENING_FAILS, RUN_DIFFERS -> {}
            case RUN_FAILS ->
                at(
                        trouble.at(),
                        () -> rank.event(() -> rank.program()
                                .runs()
                                .fail(
                                        Objects.requireNonNull(plan.run(trouble)),
                                        new Failure(Failure.Kind.INVALID, trouble.rank(), BODY_FAILED))));
            case ABORT ->
                at(
                        trouble.at(),
                        () -> failGroup(trouble.group(), new Failure(Failure.Kind.CLOSED, trouble.rank(), "aborted")));
            case LOST -> at(trouble.at(), () -> lose(trouble.rank()));
            case LEAVES -> at(trouble.at(), () -> leave(trouble.rank()));
            case CLOSES -> at(trouble.at(), () -> rank.closeGroup(rank.group(trouble.group())));
        }
    }

    /** A run has failed on a rank, which tells the others as the engine over links has it. */
    void tellRunFailed(int from, CallKey.Ticket run, Failure cause) {
        for (FuzzRank rank : ranks) {
            if (rank != ranks.get(from)) {
                later(() -> rank.event(() -> rank.program().runs().fail(run, cause)));
            }
        }
    }

    private void failGroup(int group, Failure cause) {
        for (int member : plan.groups().get(group)) {
            FuzzRank rank = ranks.get(member);
            later(() -> rank.event(() -> rank.member().failGroup(rank.group(group), cause)));
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
        if (lost != Leader.RANK) {
            later(() -> leaderEvent(() -> leader.gone(lost, cause, true)));
        } else {
            ranks.forEach(rank -> later(() -> rank.event(() -> rank.member().leaderGone(cause, true))));
        }
    }

    private void leave(int rank) {
        ranks.get(rank).leave();
        if (rank == Leader.RANK) {
            // After what the member has said to it.
            at(
                    lastArrival.getOrDefault(Leader.RANK, now()) + 1,
                    () -> leaderEvent(() -> {
                        leader.close();
                        leaderClosed = true;
                    }));
        }
    }

    /** Engines that are at the same call get on with it. */
    void meet() {
        for (FuzzRank rank : ranks) {
            FuzzEngine.GroupTurn turn = rank.engine().groupTurn();
            if (turn != null
                    && turn.ranks().stream()
                            .allMatch(
                                    each -> turn.equals(ranks.get(each).engine().groupTurn()))) {
                turn.ranks().forEach(each -> ranks.get(each).engine().meets(turn));
            }
            List.copyOf(rank.engine().atWork()).forEach(this::meet);
        }
    }

    private void meet(CallKey key) {
        List<FuzzEngine> engines = plan.membersOf(key).stream()
                .map(rank -> ranks.get(rank).engine())
                .toList();
        if (engines.stream().allMatch(each -> each.atWork().contains(key))) {
            List<FuzzEngine.Given> ends =
                    engines.stream().map(each -> each.given(key)).toList();
            if (ends.stream()
                            .map(each -> each.call().collective().signature())
                            .distinct()
                            .count()
                    > 1) {
                throw new AssertionError("engines were given calls that differ: " + key.label());
            }
            boolean fails = ends.stream().anyMatch(FuzzEngine.Given::fails);
            engines.forEach(each -> each.meets(key, fails));
        }
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

    /** A member's notice is on its way. */
    void tellLeader(int from, Notice notice) {
        if (!ranks.get(from).isDead()) {
            tell(from, "says " + notice);
            send(from, from == Leader.RANK, notice, read -> leaderEvent(() -> leader.take(from, read, now())));
        }
    }

    private void tellMember(int to, Notice notice) {
        if (!ranks.get(Leader.RANK).isDead()) {
            tell(Leader.RANK, "as the leader tells " + to + " " + notice);
            if (notice instanceof Notice.Batch batch) {
                places += batch.places().size();
                newPlaces += (int) batch.places().stream()
                        .filter(NameReference.New.class::isInstance)
                        .count();
            }
            send(
                    plan.worldSize() + to,
                    to == Leader.RANK,
                    notice,
                    read -> ranks.get(to).event(() -> ranks.get(to).member().take(read)));
        }
    }

    /** Sends a notice as bytes; what is under way when its sender dies may arrive all the same. */
    private void send(int line, boolean withinRank, Notice notice, Consumer<Notice> receiver) {
        byte[] bytes = NoticeWriter.bytes(notice);
        ByteBuffer body = ByteBuffer.wrap(bytes, NoticeLayout.LENGTH_BYTES, bytes.length - NoticeLayout.LENGTH_BYTES)
                .slice();
        Notice read = NoticeReader.read(body, plan.worldSize());
        if (!read.equals(notice)) {
            throw new AssertionError("was written and read as another: " + notice + ", " + read);
        }
        long delay = withinRank ? 0 : dice.between(0, plan.slowness());
        long arrival = Math.max(now() + delay, lastArrival.getOrDefault(line, -1L) + 1);
        lastArrival.put(line, arrival);
        at(arrival, () -> receiver.accept(read));
    }
}
