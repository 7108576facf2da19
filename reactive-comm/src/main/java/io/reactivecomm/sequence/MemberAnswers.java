package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The answers of a member to those who wait for a call that is not ready here: that it is switched off, that its run is over, that the program has gone past it,
 * or that it was assembled and not subscribed to. Only calls that another rank waits for are announced. Owned by the member.
 *
 * <pre>
 *   Wanted ──&gt; known to be over or never made ──&gt; Over, Refused, LeftOut
 *         └──&gt; kept ── its run ends, or another step begins ──&gt; the same
 * </pre>
 */
final class MemberAnswers {

    private final MemberGroups shares;
    private final Member.Effects effects;
    private final MemberRuns runs = new MemberRuns();

    MemberAnswers(MemberGroups shares, Member.Effects effects) {
        this.shares = shares;
        this.effects = effects;
    }

    /** A call is made. */
    void made(CallKey key) {
        runs.made(key);
    }

    /** Others wait for a call that was not ready here when the leader said so. */
    void wanted(CallKey key) {
        MemberGroup share = shares.find(GroupKey.of(key));
        if (share != null
                && (share.calls().containsKey(key) || share.withdrawn().containsKey(key))) {
            return;
        }
        MemberRuns.End end = runs.endOf(key);
        if (isOff(key)) {
            runs.made(key);
        } else if (end != null) {
            effects.send(end.notice(key));
        } else if (isNever(key)) {
            runs.made(key);
        } else {
            runs.wanted(key);
            tellIfAssembled(share, key);
        }
    }

    private void tellIfAssembled(@Nullable MemberGroup share, CallKey key) {
        boolean isOutermost = key.enclosure() == null;
        if (isOutermost
                && share != null
                && key instanceof CallKey.Ticket ticket
                && share.group().assembled().isUnclaimed(ticket)) {
            effects.send(new Notice.Assembled(ticket));
        }
    }

    /** No call of a run comes from here any more, because its body is over. */
    void compositeOver(CallKey.Ticket run, Function<String, Failure> cause) {
        MemberRuns.End end = new MemberRuns.End(run, false, cause);
        runs.end(end);
        CallKey missing = runs.answers(run);
        if (missing != null && !shares.areOver()) {
            effects.send(end.notice(missing));
        }
    }

    /**
     * A run has failed here, and will on all ranks. What waits in it here fails when the leader says so, which may have announced it meanwhile; a
     * rank where nothing waits need not speak.
     */
    void compositeFailed(CallKey.Ticket run, Failure cause) {
        runs.end(new MemberRuns.End(run, true, missing -> cause));
        boolean isAwaited = runs.answers(run) != null;
        if ((isAwaited || shares.hasWaiting(run)) && !shares.areOver()) {
            effects.send(new Notice.Over(run, true, cause));
        }
    }

    /** The program has begun another step of a group: others may wait for calls that earlier ones did not make. */
    void stepped(EngineGroup group) {
        runs.allWanted(group).stream().filter(key -> isOff(key) || isNever(key)).forEach(runs::made);
    }

    /** {@return whether a call which others wait for is off here, or a composite call that it is in; if so, notifies the leader} */
    private boolean isOff(CallKey key) {
        Failure off = key instanceof CallKey.Ticket call ? whyOff(call) : null;
        if (off != null && key instanceof CallKey.Ticket call) {
            effects.send(new Notice.Refused(call, off));
            return true;
        }
        for (Enclosure each = key.enclosure(); each != null; each = each.outer()) {
            Failure ofRun = whyOff(each.run());
            if (ofRun != null) {
                effects.send(new Notice.Over(each.run(), true, ofRun));
                return true;
            }
        }
        return false;
    }

    private @Nullable Failure whyOff(CallKey.Ticket call) {
        MemberGroup share = shares.find(GroupKey.of(call));
        return share == null ? null : share.group().assembled().whyOff(call);
    }

    /** {@return whether a call which others wait for will not be made here; the leader is told} */
    private boolean isNever(CallKey key) {
        CallKey outermost = key.outermost();
        MemberGroup share = shares.find(GroupKey.of(outermost));
        return share != null && share.group().assembled().ifNever(outermost, never -> refuse(key, outermost, never));
    }

    private void refuse(CallKey key, CallKey outermost, Failure never) {
        switch (outermost) {
            case CallKey.Message message -> effects.send(new Notice.LeftOut(message, never));
            case CallKey.Ticket run when !key.equals(run) -> effects.send(new Notice.Over(run, true, never));
            case CallKey.Ticket call -> effects.send(new Notice.Refused(call, never));
        }
    }
}
