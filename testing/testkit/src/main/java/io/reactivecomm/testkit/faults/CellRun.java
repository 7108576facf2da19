package io.reactivecomm.testkit.faults;

import io.reactivecomm.testkit.faults.Expectation.Closes;
import io.reactivecomm.testkit.faults.Expectation.GoesOn;
import io.reactivecomm.testkit.faults.Expectation.Refused;
import io.reactivecomm.testkit.faults.Expectation.Told;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One run of one cell: the ranks join, the phase's calls are under way, the fault strikes, and what they say of it is compared with what is
 * expected. Then all who live leave, and say what they hold.
 *
 * <p><b>Threads.</b> One.
 */
final class CellRun {

    /** What an expectation's limit may be exceeded by, on an idle machine: on a busy one both are stretched. */
    private static final Duration SLACK = Duration.ofSeconds(5);

    /** For all that is not the fault's doing. */
    private static final Duration BOUND = Duration.ofSeconds(30);

    private final Cell cell;
    private final CellProcesses party;
    private final RankPlan plan;
    private final Injection injection;
    private final Expectation expectation;
    private final Set<CellProcess> joined = new LinkedHashSet<>();
    private final Set<CellProcess> closing = new LinkedHashSet<>();
    private final MachinePace pace = new MachinePace();
    private final List<String> left = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private @Nullable Duration after;
    private @Nullable String text;

    CellRun(CellProcesses party, RankPlan plan, @Nullable NamespaceNetwork network) {
        this.cell = plan.cell();
        this.party = party;
        this.plan = plan;
        this.injection = new Injection(party, plan, network);
        this.expectation = Expectations.of(cell);
    }

    /** {@return what came of it; the party has been told whether it may serve again} */
    CellOutcome run() throws IOException, InterruptedException {
        try {
            perform();
            leave();
        } catch (CellFailure e) {
            faults.add(String.valueOf(e.getMessage()));
        } finally {
            if (faults.isEmpty()) {
                injection.lift();
            } else {
                liftAllTheSame();
            }
        }
        if (faults.isEmpty() && left.isEmpty()) {
            party.isClean();
        }
        return new CellOutcome(cell, after, text, left, faults);
    }

    private void liftAllTheSame() throws IOException {
        try {
            injection.lift();
        } catch (CellFailure e) {
            faults.add("not lifted: " + e.getMessage());
        }
    }

    private void perform() throws IOException, InterruptedException {
        long at = cell.phase() == Phase.RENDEZVOUS ? meet() : work();
        judge(at);
    }

    /** Joins and begins the phase's calls, and has the fault strike. {@return when} */
    private long work() throws IOException, InterruptedException {
        joinAll(party.all());
        for (CellProcess each : party.all()) {
            each.await(RunnerOutput.JOINED, pace.stretched(BOUND));
        }
        boolean isLate = cell.phase() == Phase.FIRST_CALL && cell.transport() != LinkKind.LOCAL;
        List<CellProcess> early = isLate ? party.others() : party.all();
        begin(early);
        long at = injection.begin();
        if (isLate && !cell.fault().endsVictim()) {
            party.victim().send("begin");
        }
        return at;
    }

    private void begin(List<CellProcess> ranks) throws InterruptedException {
        ranks.forEach(each -> each.send("begin"));
        for (CellProcess each : ranks) {
            String said = each.awaitAny(List.of(RunnerOutput.READY, RunnerOutput.KNEW), pace.stretched(BOUND));
            if (said.startsWith(RunnerOutput.KNEW)) {
                throw new CellFailure("a call failed before the fault, on a machine that is too busy: " + said);
            }
        }
    }

    private void joinAll(List<CellProcess> ranks) {
        for (CellProcess each : ranks) {
            each.send("join " + plan.withRank(party.all().indexOf(each)).line());
            joined.add(each);
        }
    }

    /** Has the fault strike while ranks wait for each other. {@return when} */
    private long meet() throws IOException, InterruptedException {
        if (expectation instanceof GoesOn && cell.fault() != Fault.BLIP) {
            long at = injection.begin();
            joinAll(party.all());
            return at;
        }
        if (cell.fault() == Fault.WRONG_TOKEN) {
            joinAll(party.others());
            return injection.begin();
        }
        joinAll(List.of(party.of(0), party.victim()));
        // The store's report on who is missing: only then the victim is known to have come.
        awaitReport();
        long at = injection.begin();
        if (!cell.fault().endsVictim()) {
            joinAll(List.of(party.of(1)));
        }
        return at;
    }

    private void awaitReport() throws InterruptedException {
        CellProcess first = party.of(0);
        if (first.find(line -> line.contains("waits for ranks") && line.contains("missing=[1]"), pace.stretched(BOUND))
                .isEmpty()) {
            throw new CellFailure("the store did not report who is missing; rank 0 said " + first.last());
        }
    }

    private void judge(long at) throws IOException, InterruptedException {
        switch (expectation) {
            case Told told -> judgeTold(told, at);
            case GoesOn goesOn -> judgeGoesOn(at, goesOn.limit());
            case Refused refused -> judgeRefused(refused, at);
            case Closes closes -> judgeCloses(closes, at);
        }
    }

    private Duration bound(Expectation expectation) {
        return pace.stretched(expectation.limit().plus(SLACK));
    }

    private void judgeTold(Told told, long at) throws IOException, InterruptedException {
        long last = at;
        for (int rank : CellProcesses.survivors()) {
            if (joined.contains(party.of(rank))) {
                FirstError knew = party.told(rank, bound(told));
                compare("rank " + rank, knew, told.types(), told.saying());
                last = Math.max(last, knew.atNanos());
                text = last == knew.atNanos() ? knew.type() + ": " + knew.text() : text;
            }
        }
        measured(last - at, told.limit());
        injection.lift();
        if (!cell.fault().endsVictim()) {
            party.told(RankPlan.VICTIM, bound(told));
        }
    }

    private void compare(String who, FirstError knew, Set<String> types, String saying) {
        if (!types.contains(knew.type())
                || !Pattern.compile(saying).matcher(knew.text()).find()) {
            faults.add(who + " was told: " + knew.type() + ": " + knew.text() + "; expected one of " + types
                    + " saying /" + saying + "/");
        }
    }

    private void measured(long nanos, Duration limit) {
        Duration measured = Duration.ofNanos(nanos);
        after = measured;
        Duration most = pace.stretched(limit.plus(SLACK));
        if (measured.compareTo(most) > 0) {
            faults.add("too late: after=" + measured.toMillis() + " ms, limit=" + limit.toMillis()
                    + " ms, on this machine=" + most.toMillis() + " ms");
        }
    }

    private void judgeGoesOn(long at, Duration limit) throws IOException, InterruptedException {
        Duration lasting = Expectations.duration(cell.fault());
        if (!lasting.isZero()) {
            pass(at, lasting);
            injection.lift();
        }
        measured(lastThatGoes() - at, limit);
    }

    /** Lets that much time go by from then on: it is what the fault consists of. An error ends it early. */
    private void pass(long at, Duration lasting) throws InterruptedException {
        long left = at + lasting.toNanos() - System.nanoTime();
        if (new CountDownLatch(1).await(left, TimeUnit.NANOSECONDS)) {
            throw new AssertionError("nobody counts down");
        }
    }

    /** {@return when the last rank had seen calls end well} */
    private long lastThatGoes() throws InterruptedException {
        if (cell.phase() == Phase.RENDEZVOUS) {
            for (CellProcess each : party.all()) {
                each.await(RunnerOutput.JOINED, pace.stretched(BOUND));
            }
            begin(party.all());
        }
        joined.forEach(each -> each.send("ask"));
        long last = 0;
        for (CellProcess each : joined) {
            String said = each.find(
                            line -> line.startsWith(RunnerOutput.GOES) || line.startsWith(RunnerOutput.KNEW),
                            bound(expectation).plus(pace.stretched(BOUND)))
                    .orElseThrow(() -> new CellFailure("calls do not go on; a process said " + each.last()));
            if (said.startsWith(RunnerOutput.KNEW)) {
                throw new CellFailure("calls were to go on; a rank was told: " + said);
            }
            last = Math.max(last, Long.parseLong(said.split(" ")[1]));
        }
        return last;
    }

    private void judgeRefused(Refused refused, long at) throws InterruptedException {
        String said = party.stranger().await(RunnerOutput.KNEW, bound(refused));
        FirstError knew = FirstError.parse(said);
        text = knew.type() + ": " + knew.text();
        compare("the stranger", knew, refused.types(), refused.saying());
        measured(knew.atNanos() - at, refused.limit());
        joined.add(party.stranger());
        close(List.of(party.stranger()));
        if (cell.phase() == Phase.RENDEZVOUS) {
            joinAll(List.of(party.victim()));
        }
        joined.remove(party.stranger());
        lastThatGoes();
    }

    private void judgeCloses(Closes closes, long at) throws IOException, InterruptedException {
        List<CellProcess> leavers = cell.transport() == LinkKind.LOCAL ? party.all() : party.others();
        if (cell.transport() == LinkKind.LOCAL) {
            injection.lift();
        }
        close(leavers);
        long last = at;
        for (CellProcess each : leavers) {
            last = Math.max(
                    last,
                    Long.parseLong(
                            each.await(RunnerOutput.CLOSED, bound(closes)).split(" ")[1]));
        }
        measured(last - at, closes.limit());
        injection.lift();
    }

    private void close(List<CellProcess> ranks) {
        ranks.stream().filter(closing::add).forEach(each -> each.send("close"));
    }

    /** Everybody who lives leaves, and says what it holds. */
    private void leave() throws InterruptedException {
        List<CellProcess> living = joined.stream()
                .filter(each -> !(cell.fault().endsVictim() && each == party.victim()))
                .toList();
        close(living);
        Set<CellProcess> all = new LinkedHashSet<>(closing);
        all.addAll(living);
        for (CellProcess each : all) {
            String held =
                    each.await(RunnerOutput.LEFT, pace.stretched(BOUND)).substring(RunnerOutput.LEFT.length() + 1);
            if (!held.equals(HeldResources.NOTHING)) {
                left.add((each == party.victim() ? "the victim: " : "") + held);
            }
        }
    }
}
