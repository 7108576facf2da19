package io.reactivecomm.sequence;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The groups of which this rank's engine holds something: from an opening's turn to the freeing's, or until the group is abandoned. A rank that is no member
 * holds an opening until it has done its part. Owned by the member.
 */
final class MemberOpenings {

    private final int rank;
    private final Member.Effects effects;
    private final Map<GroupKey, GroupOpening> held = new LinkedHashMap<>();
    /** Why no group is freed in order any more. */
    private @Nullable Failure over;

    MemberOpenings(int rank, Member.Effects effects) {
        this.rank = rank;
        this.effects = effects;
    }

    /** A group is opened, for a member or by one that helps. @param share the member's, which has not been abandoned, or null */
    void begin(Notice.Opening notice, @Nullable MemberGroup share) {
        GroupKey from = notice.from();
        if (share != null) {
            begin(notice, share.group(), from);
        } else {
            begin(notice, group(notice.group(), notice.worldRanks()), from);
        }
        if (share != null && share.isClosed()) {
            close(notice.group());
        }
    }

    private void begin(Notice.Opening notice, EngineGroup group, @Nullable GroupKey from) {
        if (from == null) {
            begin(new GroupOpening(rank, notice.number(), group, null));
        } else {
            begin(new GroupOpening(rank, notice.number(), group, group(from, notice.openers())));
        }
    }

    private void begin(GroupOpening opening) {
        GroupKey key = GroupKey.of(opening.group());
        if (held.put(key, opening) != null) {
            effects.abandon(opening.group(), FailureTexts.openedAnew(key), List.of());
        }
        effects.open(opening);
    }

    private EngineGroup group(GroupKey key, List<Integer> worldRanks) {
        int place = worldRanks.indexOf(rank);
        return new EngineGroup(key.id(), key.generation(), worldRanks, place < 0 ? EngineGroup.NOT_A_MEMBER : place);
    }

    /** {@return whether the engine has ended an opening or a freeing that counts still; then the leader hears of a good end} */
    boolean ended(GroupOpening opening, @Nullable Failure cause) {
        GroupKey key = GroupKey.of(opening.group());
        boolean isHeld = held.get(key) == opening;
        if (isHeld && cause == null) {
            if (opening.isOpen() || !opening.group().isMember()) {
                held.remove(key);
            }
            opening.opened();
            effects.send(new Notice.Done(opening.number(), key));
        }
        return isHeld;
    }

    /** This rank has closed a group in good order: the leader has it freed once all members have. */
    void close(GroupKey key) {
        GroupOpening opening = held.get(key);
        if (opening == null || opening.isClosed()) {
            return;
        }
        Failure cause = over;
        if (cause != null) {
            abandon(key, cause);
        } else {
            opening.close();
            effects.send(new Notice.Closed(key));
        }
    }

    /** All members have closed a group, and free it now; this one may have abandoned it, which the leader has been told. */
    void free(Notice.Freeing notice) {
        GroupOpening opening = held.get(notice.group());
        if (opening != null) {
            opening.free(notice.number());
            effects.free(opening);
        }
    }

    /** {@return whether the engine holds something of a group} */
    boolean holds(GroupKey key) {
        return held.containsKey(key);
    }

    /** The engine knows already that a group has failed. {@return whether it held something of it} */
    boolean drop(GroupKey key) {
        return held.remove(key) != null;
    }

    /** A group has failed, of which the engine perhaps holds something. */
    void abandon(GroupKey key, Failure cause) {
        GroupOpening opening = held.remove(key);
        if (opening != null) {
            effects.abandon(opening.group(), cause, List.of());
        }
    }

    /** This rank leaves the world: the engine frees everything. */
    void clear() {
        held.clear();
    }

    /**
     * Nobody orders anything any more: what is being opened, or only waits to be freed, is abandoned, and the rest once this rank closes it.
     *
     * @param abandoned whether all fail
     */
    void leaderGone(Failure cause, boolean abandoned) {
        over = cause;
        List.copyOf(held.values()).stream()
                .filter(each -> abandoned || !each.isOpen() || each.isClosed())
                .forEach(each -> abandon(GroupKey.of(each.group()), cause));
    }

    /** {@return groups of which the engine holds something} */
    int size() {
        return held.size();
    }
}
