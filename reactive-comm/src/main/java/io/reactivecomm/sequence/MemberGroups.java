package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A member's groups and how they end: gently, so that only calls whose turn has not come fail, or abandoned, so that those which run fail
 * too. Owned by the member.
 */
final class MemberGroups {

    private final int rank;
    private final int slots;
    private final Member.Effects effects;
    private final Alarms alarms;
    private final MemberOpenings openings;
    private final Map<GroupKey, MemberGroup> live = new LinkedHashMap<>();
    private final Map<GroupKey, Failure> ended = new Remembered<>();
    /** Why no call of any group can have its turn any more. */
    private @Nullable Failure over;
    /** The world's own, from which nothing is split after that. */
    private @Nullable Failure worldEnd;

    MemberGroups(int rank, int slots, Member.Effects effects, Alarms alarms) {
        this.rank = rank;
        this.slots = slots;
        this.effects = effects;
        this.alarms = alarms;
        this.openings = new MemberOpenings(rank, effects);
    }

    /** {@return what the engine holds of groups} */
    MemberOpenings openings() {
        return openings;
    }

    /** {@return the share of a group of which more may be heard, or null} */
    @Nullable MemberGroup find(GroupKey group) {
        return live.get(group);
    }

    /** {@return the share of a group, which the leader knows from now on} */
    MemberGroup of(EngineGroup group) {
        return live.computeIfAbsent(GroupKey.of(group), key -> {
            effects.send(new Notice.Introduced(key, group.worldRanks(), parents(group)));
            return new MemberGroup(group, slots);
        });
    }

    private static List<GroupKey> parents(EngineGroup group) {
        return group.ancestors().stream()
                .map(id -> new GroupKey(group.generation(), id))
                .toList();
    }

    /** {@return why a group's calls cannot have their turn, or null} */
    @Nullable Failure end(EngineGroup group) {
        MemberGroup share = live.get(GroupKey.of(group));
        Failure own = share == null ? ended.get(GroupKey.of(group)) : share.ended();
        return own == null ? over : own;
    }

    /** No call of any group has its turn any more. */
    void over(Failure cause) {
        over = cause;
    }

    boolean areOver() {
        return over != null;
    }

    /** {@return whether a call of a run waits for its turn} */
    boolean hasWaiting(CallKey.Ticket run) {
        return live.values().stream()
                .flatMap(share -> share.calls().values().stream())
                .anyMatch(entry -> !entry.isRunning() && MemberRuns.isPartOf(entry.key(), run));
    }

    /** {@return all of which more may be heard} */
    List<MemberGroup> all() {
        return List.copyOf(live.values());
    }

    /** The engine has failed a group, which ends here and, by the leader, everywhere. */
    void failed(MemberGroup share, Failure cause) {
        end(share, new Notice.Ended(GroupKey.of(share.group()), cause, true, true));
    }

    /** Abandons a group here, and has the leader end it everywhere. */
    void end(MemberGroup share, Failure cause) {
        end(share, new Notice.Ended(GroupKey.of(share.group()), cause, true));
    }

    private void end(MemberGroup share, Notice.Ended end) {
        boolean news = share.ended() == null || !share.isAbandoned();
        fail(share, end.cause());
        abandon(share, end.cause(), end.byEngine());
        if (news) {
            effects.send(end);
        }
        dropIfOver(share);
    }

    /** The group has ended otherwise than by the sequencers: each member's engine is told so by its own rank. */
    void end(EngineGroup group, Failure cause) {
        GroupKey key = GroupKey.of(group);
        MemberGroup share = live.get(key);
        if (openings.drop(key) && (share == null || share.ended() != null)) {
            // Other members have it open, perhaps closed as this one does, and are then not told by their own ranks.
            effects.send(new Notice.Ended(key, cause, true));
        }
        if (share == null) {
            endUnknown(group, cause);
        } else if (share.ended() == null) {
            end(share, cause);
        } else {
            // It has ended here before, as by a close: what runs on other ranks is to end as it would have.
            abandon(share, cause, false);
            dropIfOver(share);
        }
    }

    /** A group that no call came of, or that is over here, has failed: the engine hears of it all the same. */
    private void endUnknown(EngineGroup group, Failure cause) {
        ended.putIfAbsent(GroupKey.of(group), cause);
        effects.abandon(group, cause, List.of());
        if (group.isWorld()) {
            worldEnd = cause;
            effects.send(new Notice.Ended(GroupKey.of(group), cause, true));
        }
    }

    /** The leader has ended a group, or abandoned one that had ended. */
    void settle(Notice.Ended end) {
        MemberGroup share = live.get(end.group());
        if (share == null) {
            ended.putIfAbsent(end.group(), end.cause());
            if (end.abandoned()) {
                openings.abandon(end.group(), end.cause());
                tell(end.group(), end.cause(), end.byEngine());
            }
        } else {
            settle(share, end);
        }
    }

    /** No place of the group comes any more. */
    void settle(MemberGroup share, Notice.Ended end) {
        share.settle();
        fail(share, end.cause());
        if (end.abandoned()) {
            abandon(share, end.cause(), end.byEngine());
        }
        dropIfOver(share);
    }

    /**
     * This rank closes a group; the engine is told after that, and ends what runs. The leader hears of each call that waits here: it may
     * have announced it meanwhile.
     */
    void close(MemberGroup share) {
        boolean unfinished = share.hasRunning();
        boolean news = share.ended() == null || (unfinished && !share.isAbandoned());
        Failure cause = FailureTexts.closedByMember(share.group());
        for (MemberCall entry : share.calls().values()) {
            if (!entry.isRunning()) {
                effects.send(new Notice.Failed(entry.key(), cause));
            }
        }
        fail(share, FailureTexts.closed(rank));
        share.close();
        if (unfinished) {
            abandon(share, FailureTexts.closed(rank), false);
        }
        if (news) {
            effects.send(new Notice.Ended(GroupKey.of(share.group()), cause, unfinished));
        }
        dropIfOver(share);
    }

    /** A group is opened, in which this rank has a share or helps others. */
    void open(Notice.Opening opening) {
        GroupKey from = opening.from();
        Failure why = from == null ? null : endOf(from);
        if (from != null && why != null) {
            // The engine has nothing to split from any more; the leader has the members open it alone.
            effects.send(new Notice.Ended(from, why, true));
            return;
        }
        MemberGroup share = live.get(opening.group());
        Failure over = share == null && opening.worldRanks().contains(rank) && !openings.holds(opening.group())
                ? ended.get(opening.group())
                : null;
        if (over != null) {
            // It failed before this rank made a call of it: others exchange messages there, who need it no more.
            effects.send(new Notice.Ended(opening.group(), over, true));
            return;
        }
        // The leader hears of one that has been abandoned here, and tells all.
        if (share == null || !share.isAbandoned()) {
            openings.begin(opening, share);
        }
    }

    /** {@return why nothing can be split from a group here, or null} */
    private @Nullable Failure endOf(GroupKey from) {
        if (from.id() == EngineGroup.WORLD) {
            return worldEnd;
        }
        return openings.holds(from) ? null : ended.getOrDefault(from, FailureTexts.notHeld(rank, from));
    }

    /** The engine has ended an opening. */
    void opened(GroupOpening opening, @Nullable Failure cause) {
        GroupKey key = GroupKey.of(opening.group());
        MemberGroup share = live.get(key);
        if (!openings.ended(opening, cause) || cause == null) {
            return;
        }
        if (share != null) {
            failed(share, cause);
        } else {
            openings.abandon(key, cause);
            effects.send(new Notice.Ended(key, cause, true, true));
        }
    }

    private void fail(MemberGroup share, Failure cause) {
        if (share.ended() == null) {
            share.end(cause);
            for (MemberCall entry : List.copyOf(share.calls().values())) {
                if (!entry.isRunning()) {
                    forget(entry);
                    effects.fail(entry.sink(), FailureTexts.during(cause, entry.call(), entry.key()));
                }
            }
        }
    }

    private void abandon(MemberGroup share, Failure cause, boolean byEngine) {
        if (!share.isAbandoned()) {
            share.abandon();
            worldEnd = share.group().isWorld() ? cause : worldEnd;
            openings.drop(GroupKey.of(share.group()));
            effects.abandon(share.group(), cause, share.running());
            tell(GroupKey.of(share.group()), cause, byEngine);
        }
    }

    /**
     * The rank hears of what an engine, or a sequencer in front of one, has ended. Of losses and closings that sequencers find it hears over links, which know
     * who goes on without whom.
     */
    private void tell(GroupKey group, Failure cause, boolean byEngine) {
        boolean isKnown = cause.kind() == Failure.Kind.PEER_LOST || cause.kind() == Failure.Kind.CLOSED;
        if (byEngine || !isKnown) {
            effects.failed(group, cause);
        }
    }

    /** A call has ended. */
    void forget(MemberCall entry) {
        entry.share().calls().remove(entry.key());
        alarms.remove(entry);
        dropIfOver(entry.share());
    }

    private void dropIfOver(MemberGroup share) {
        Failure cause = share.ended();
        if (cause != null && share.isOver() && live.remove(GroupKey.of(share.group()), share)) {
            ended.put(GroupKey.of(share.group()), cause);
        }
    }
}
