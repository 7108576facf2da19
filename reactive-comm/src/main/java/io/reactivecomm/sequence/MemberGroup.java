package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A member's share of a group, from when it introduced the group until both it and the leader have ended it and nothing runs. */
final class MemberGroup {

    private final EngineGroup group;
    private final RecentNames ring;
    private final Map<CallKey, MemberCall> calls = new LinkedHashMap<>();
    /** Calls that this rank has failed, until the leader has said so too: it may have announced them meanwhile. */
    private final Map<CallKey, Failure> withdrawn = new HashMap<>();

    private @Nullable Failure ended;
    private boolean abandoned;
    private boolean settled;
    private boolean closed;

    MemberGroup(EngineGroup group, int slots) {
        this.group = group;
        this.ring = new RecentNames(GroupKey.of(group), slots);
    }

    EngineGroup group() {
        return group;
    }

    RecentNames ring() {
        return ring;
    }

    /** {@return the calls that have not ended, in the order in which they were submitted} */
    Map<CallKey, MemberCall> calls() {
        return calls;
    }

    Map<CallKey, Failure> withdrawn() {
        return withdrawn;
    }

    boolean hasRunning() {
        return calls.values().stream().anyMatch(MemberCall::isRunning);
    }

    /** {@return the calls that the engine was given and has not ended} */
    List<MemberCall> running() {
        return calls.values().stream().filter(MemberCall::isRunning).toList();
    }

    /** {@return why the group has ended here, or null} */
    @Nullable Failure ended() {
        return ended;
    }

    void end(Failure cause) {
        ended = cause;
        withdrawn.clear();
    }

    /** {@return whether the engine knows that what runs is to fail} */
    boolean isAbandoned() {
        return abandoned;
    }

    void abandon() {
        abandoned = true;
    }

    /** {@return whether this rank has closed the group} */
    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
    }

    /** The leader has ended the group too: no place of it comes any more. */
    void settle() {
        settled = true;
    }

    /** {@return whether nothing more can be heard of the group} */
    boolean isOver() {
        return settled && calls.isEmpty();
    }
}
