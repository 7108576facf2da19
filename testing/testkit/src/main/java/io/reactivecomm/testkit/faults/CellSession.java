package io.reactivecomm.testkit.faults;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.ConnectedWorlds;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * One process's part in one cell, from joining to leaving: a rank, or all ranks of a local world.
 *
 * <p><b>Threads.</b> The program's main thread, and the loop in callbacks.
 */
final class CellSession {

    private final RankPlan plan;
    private final RunnerOutput talk;
    private final HeldResources before = HeldResources.now();
    private final List<CellRank> cellRanks = new CopyOnWriteArrayList<>();
    private volatile Disposable joining = Disposables.disposed();
    private volatile boolean leaving;
    private @Nullable LocalWorld local;

    CellSession(RankPlan plan, RunnerOutput talk) {
        this.plan = plan;
        this.talk = talk;
    }

    /** Joins, and says so; or says with what error it could not. */
    void join() {
        if (plan.cell().transport() == LinkKind.LOCAL) {
            LocalWorld world = ReactiveComm.local(RankPlan.RANKS, CommConfig.of(0, RankPlan.RANKS, plan.host(), 1));
            local = world;
            world.groups().forEach(this::sit);
            talk.say(RunnerOutput.JOINED);
        } else {
            joining = ReactiveComm.connect(config())
                    .subscribe(
                            group -> {
                                sit(group);
                                talk.say(RunnerOutput.JOINED);
                            },
                            this::refused);
        }
    }

    private CommConfig config() {
        return CommConfig.of(plan.rank(), RankPlan.RANKS, plan.host(), plan.port())
                .withStoreHosted(plan.hosted())
                .withToken(plan.token())
                .withEncryption(ConnectedWorlds.ENCRYPTION)
                .withRendezvousTimeout(RankPlan.MEETING_LIMIT)
                .withTransport(plan.cell().transport().label());
    }

    private void sit(ProcessGroup group) {
        cellRanks.add(new CellRank(group, plan.cell().fault(), talk));
    }

    private void refused(Throwable error) {
        long at = System.nanoTime();
        if (!leaving) {
            talk.knew(at, plan.rank(), error);
        }
    }

    /** Begins the phase's calls and says when they are under way. */
    void begin() {
        Mono.when(cellRanks.stream()
                        .map(cellRank -> cellRank.begin(plan.cell().phase()))
                        .toList())
                .subscribe(nothing -> {}, error -> {}, () -> talk.say(RunnerOutput.READY));
    }

    /** Does to itself what the cell is about. */
    void fault() {
        if (plan.cell().fault().isOnLoop()) {
            cellRanks.stream().filter(CellRank::isVictim).forEach(CellRank::strike);
        } else {
            new SelfFault(plan.cell().fault(), talk).strikeHere();
        }
    }

    void release() {
        cellRanks.forEach(cellRank -> cellRank.selfFault().release());
    }

    /** Says when calls that begin now have ended well. */
    void ask() {
        Mono.when(cellRanks.stream().map(CellRank::ask).toList())
                .subscribe(nothing -> {}, error -> {}, () -> talk.say(RunnerOutput.GOES, System.nanoTime()));
    }

    /** Leaves, and says when it had left and what is held all the same. */
    void close() {
        leaving = true;
        joining.dispose();
        cellRanks.forEach(CellRank::leave);
        cellRanks.forEach(CellRank::close);
        if (local != null) {
            local.close();
        }
        talk.say(RunnerOutput.CLOSED, System.nanoTime());
        int unended = cellRanks.stream().mapToInt(CellRank::clear).sum();
        String more = HeldResources.beyondAtLast(before);
        talk.say(RunnerOutput.LEFT, unended == 0 ? more : "calls without end=" + unended + ", " + more);
    }
}
