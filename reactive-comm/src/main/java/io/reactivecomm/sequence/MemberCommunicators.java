package io.reactivecomm.sequence;

import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.GroupOpening;
import io.reactivecomm.spi.OrderedEngine.OpeningSink;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The communicators in whose opening this rank has taken part as a member. Owned by the member, but for the ends of openings. */
final class MemberCommunicators {

    private final int rank;
    private final Member member;
    private final Member.Effects effects;
    private final Map<GroupKey, EngineGroup> open = new HashMap<>();
    /** Those of them whose groups this rank has closed, and others have not. */
    private final Set<GroupKey> closed = new HashSet<>();

    MemberCommunicators(int rank, Member member, Member.Effects effects) {
        this.rank = rank;
        this.member = member;
        this.effects = effects;
    }

    /**
     * This rank takes part in an opening.
     *
     * @param share its share of the group, or null if it is none of its members
     */
    void open(GroupOpening opening, @Nullable MemberGroup share) {
        GroupKey key = new GroupKey(opening.generation(), opening.id());
        if (share != null) {
            open.put(key, share.group());
        }
        effects.open(opening, new End(key));
        Failure ended = share == null ? null : share.ended();
        if (share != null && ended != null && share.isAbandoned()) {
            abandon(key, ended);
        } else if (share != null && share.isClosed()) {
            closed.add(key);
            effects.close(share.group());
        }
    }

    /** This rank has closed a group, and its engine is told. */
    void closed(GroupKey key) {
        if (open.containsKey(key)) {
            closed.add(key);
        }
    }

    /** {@return whether this rank has closed a group whose communicator is to be freed in the order} */
    boolean isClosed(GroupKey key) {
        return closed.contains(key);
    }

    /** All members have closed a group. */
    void free(GroupKey key) {
        EngineGroup group = forget(key);
        if (group != null) {
            effects.free(group);
        }
    }

    /** A group that may be over here was abandoned: its engine frees what stands for it. */
    void abandon(GroupKey key, Failure cause) {
        EngineGroup group = forget(key);
        if (group != null) {
            effects.abandon(group, cause);
        }
    }

    /** A group was abandoned, and the engine has been told. */
    @Nullable EngineGroup forget(GroupKey key) {
        closed.remove(key);
        return open.remove(key);
    }

    /** {@return communicators that are open here} */
    int size() {
        return open.size();
    }

    /** The taker of the end of one opening. */
    private final class End implements OpeningSink {

        private final GroupKey key;
        private final AtomicBoolean isOver = new AtomicBoolean();

        private End(GroupKey key) {
            this.key = key;
        }

        @Override
        public void succeeded() {
            isOver.set(true);
        }

        @Override
        public void failed(Failure failure) {
            if (isOver.compareAndSet(false, true)) {
                effects.later(() -> member.openingFailed(key, FailureTexts.notOpened(rank, key, failure)));
            }
        }
    }
}
