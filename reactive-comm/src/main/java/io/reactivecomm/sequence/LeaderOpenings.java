package io.reactivecomm.sequence;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The openings and freeings of groups, which the leader puts into the order.
 *
 * <pre>
 *            the first call is ready on all members      Done of all that take part        Closed of all members          Done of all
 *   unknown ─────── Opening to them ───────&gt; OPENING ─── its calls are announced ──&gt; OPEN ── Freeing to them ──&gt; FREEING ────────&gt; unknown
 *                                               │ an engine fails it, or a member that takes part goes   │                    │
 *                                               └──── the group ends, abandoned ──────────────────────┴────────────────────┴──&gt; unknown
 * </pre>
 *
 * <p>Its calls wait here, not at the engines. So an engine never has one of a group that it could not open, and what fails or runs out of time during an
 * opening is a call whose turn has not come. That costs a group's first call one more way there and back, beside what takes far longer.
 *
 * <p><b>Who takes part.</b> The members, or all ranks of the nearest parent that is open, and at last of the world, in which any rank is that has not left. Parents
 * that no call ever came of, or that were freed, are passed over. A rank that has gone is in every parent of a parent that it is in; then the members are alone.
 * If one goes while it should help, or the parent fails, what is under way is given up, and the members begin anew, alone.
 */
final class LeaderOpenings {

    private final int worldSize;
    private final Formation formation;
    private final Leader.Mail mail;
    private final LongSupplier places;
    private final Consumer<PendingCall> ready;
    private final Map<GroupKey, LeaderOpening> all = new HashMap<>();
    private final Set<Integer> gone = new HashSet<>();
    /** Groups of all ranks from which nothing can be split any more. */
    private final Set<GroupKey> worldsOver = new HashSet<>();

    /**
     * @param places gives the next number in the order
     * @param ready takes a call that may be announced
     */
    LeaderOpenings(
            int worldSize, Formation formation, Leader.Mail mail, LongSupplier places, Consumer<PendingCall> ready) {
        this.worldSize = worldSize;
        this.formation = formation;
        this.mail = mail;
        this.places = places;
        this.ready = ready;
    }

    /** A call is ready on all members: it may be announced now, or once its group is open. */
    void add(PendingCall call) {
        LeaderGroup roster = call.roster();
        if (formation == Formation.NOBODY || roster.group().id() == EngineGroup.WORLD) {
            ready.accept(call);
            return;
        }
        LeaderOpening opening = all.get(roster.group());
        if (opening == null) {
            begin(roster);
            hold(call);
        } else if (opening.isOpen()) {
            ready.accept(call);
        } else {
            hold(call);
        }
    }

    /** A call waits no more. */
    void remove(PendingCall call) {
        LeaderOpening opening = all.get(call.roster().group());
        if (opening != null) {
            opening.held().remove(call);
        }
    }

    private void hold(PendingCall call) {
        Objects.requireNonNull(all.get(call.roster().group())).held().add(call);
    }

    private void begin(LeaderGroup roster) {
        if (formation != Formation.PARENT) {
            begin(roster.group(), roster.members(), null, roster.members());
            return;
        }
        for (GroupKey parent : roster.parents()) {
            LeaderOpening opening = all.get(parent);
            if (opening != null && opening.canBeSplit() && opening.members().containsAll(roster.members())) {
                begin(roster.group(), roster.members(), parent, opening.members());
                return;
            }
        }
        GroupKey world = new GroupKey(roster.group().generation(), EngineGroup.WORLD);
        if (gone.isEmpty() && !worldsOver.contains(world)) {
            begin(
                    roster.group(),
                    roster.members(),
                    world,
                    IntStream.range(0, worldSize).boxed().toList());
        } else {
            begin(roster.group(), roster.members(), null, roster.members());
        }
    }

    private void begin(GroupKey group, List<Integer> members, @Nullable GroupKey from, List<Integer> openers) {
        LeaderOpening begun = new LeaderOpening(places.getAsLong(), group, members, from, openers);
        all.put(group, begun);
        Notice.Opening notice =
                new Notice.Opening(begun.number(), group, members, from, from == null ? List.of() : openers);
        openers.forEach(rank -> mail.send(rank, notice));
    }

    /** A rank that was to help has gone, or what the group is split from has failed: what is under way is given up, and the members open the group alone. */
    private void beginAlone(LeaderOpening failed, Failure cause) {
        Notice.Ended end = new Notice.Ended(failed.group(), FailureTexts.notOpened(failed.group(), cause), true);
        failed.concerned().stream()
                .filter(rank -> !failed.members().contains(rank))
                .forEach(rank -> mail.send(rank, end));
        begin(failed.group(), failed.members(), null, failed.members());
        LeaderOpening begun = Objects.requireNonNull(all.get(failed.group()));
        begun.held().addAll(failed.held());
        failed.closed().forEach(begun::closed);
    }

    /** A rank has done its part in an opening or a freeing. */
    void done(int from, Notice.Done done) {
        LeaderOpening opening = all.get(done.group());
        if (opening == null || opening.number() != done.number() || !opening.isAwaited(from)) {
            return;
        }
        opening.done(from);
        if (opening.isFreeing() && opening.isDone()) {
            all.remove(done.group());
        } else if (opening.isOpen()) {
            opening.held().forEach(ready);
            opening.held().clear();
            freeIfClosed(opening);
        }
    }

    /** A member has closed a group; what runs in it, or waits, has been told of apart. */
    void closed(int from, GroupKey group) {
        LeaderOpening opening = all.get(group);
        if (opening == null || !opening.members().contains(from)) {
            return;
        }
        opening.closed(from);
        Failure departure = opening.departure();
        if (departure != null) {
            mail.send(from, new Notice.Ended(group, departure, true));
        }
        freeIfClosed(opening);
    }

    private void freeIfClosed(LeaderOpening opening) {
        if (opening.isOpen() && opening.isClosed()) {
            if (opening.departure() != null) {
                all.remove(opening.group());
            } else {
                opening.free(places.getAsLong());
                Notice.Freeing notice = new Notice.Freeing(opening.number(), opening.group());
                opening.members().forEach(rank -> mail.send(rank, notice));
            }
        }
    }

    /** A group has failed. {@return whether those that are opening it, or have it open, have been told so here} */
    boolean abandon(Notice.Ended end) {
        if (end.group().id() == EngineGroup.WORLD) {
            worldsOver.add(end.group());
        }
        LeaderOpening opening = all.remove(end.group());
        if (opening != null) {
            opening.concerned().forEach(rank -> mail.send(rank, end));
        }
        all.values().stream()
                .filter(each -> each.isSplitFrom(end.group()))
                .toList()
                .forEach(each -> beginAlone(each, end.cause()));
        return opening != null;
    }

    /**
     * A rank has left, or cannot be reached.
     *
     * @param abandoned whether groups that it is in fail with it
     * @return the groups that fail
     */
    List<Notice.Ended> gone(int rank, Failure cause, boolean abandoned) {
        gone.add(rank);
        List<Notice.Ended> failed = new ArrayList<>();
        for (LeaderOpening opening : List.copyOf(all.values())) {
            boolean isMember = opening.members().contains(rank);
            if (!isMember && opening.isAwaited(rank)) {
                beginAlone(opening, cause);
            } else if (isMember && (opening.isFreeing() ? opening.isAwaited(rank) : abandoned || !opening.isOpen())) {
                failed.add(new Notice.Ended(opening.group(), cause, true));
            } else if (isMember && opening.isOpen()) {
                departed(opening, rank, cause);
            }
        }
        return failed;
    }

    private void departed(LeaderOpening opening, int rank, Failure cause) {
        opening.closed().forEach(closer -> mail.send(closer, new Notice.Ended(opening.group(), cause, true)));
        opening.departed(rank, cause);
        freeIfClosed(opening);
    }

    /** {@return whether a rank is at the opening of a group, perhaps for others} */
    boolean isAwaited(int rank, GroupKey group) {
        LeaderOpening opening = all.get(group);
        return opening != null && opening.isAwaited(rank);
    }

    /** {@return what a call that is ready everywhere waits for, in words} Empty if it waits for no opening. */
    Optional<String> waits(PendingCall call) {
        LeaderOpening opening = all.get(call.roster().group());
        return opening != null && opening.held().contains(call) ? Optional.of(opening.words()) : Optional.empty();
    }

    /** {@return groups that engines open or have open} */
    int size() {
        return all.size();
    }
}
