package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The words of members on calls, as they arrive at the leader: ready, refused, given up. Of messages it is found out here which receive meets which. Owned by
 * the leader.
 */
final class LeaderArrivals {

    private final LeaderGroups groups;
    private final LeaderCalls calls;
    private final LeaderComposites composites;

    LeaderArrivals(LeaderGroups groups, LeaderCalls calls, LeaderComposites composites) {
        this.groups = groups;
        this.calls = calls;
        this.composites = composites;
    }

    /** A member is ready for a call. */
    void ready(int from, Notice.Ready ready, long now) {
        LeaderGroup roster = groups.find(from, GroupKey.of(ready.key()));
        if (roster == null) {
            return;
        }
        arrive(roster, from, ready.key(), now, key -> {
            roster.issued(from, ready);
            CallKey.Message found = LeaderMessages.isFromAny(key) ? roster.waitingFor((CallKey.Message) key) : null;
            if (found == null) {
                ready(roster, from, key, ready, now);
            } else {
                takes(roster, (CallKey.Message) key, found, now);
                ready(roster, from, found, ready, now);
            }
        });
    }

    /** A member's checks have failed. A receive from any has no place that others would meet. */
    void refused(int from, Notice.Refused refused, long now) {
        LeaderGroup roster = groups.find(from, GroupKey.of(refused.key()));
        if (roster != null && !LeaderMessages.isFromAny(refused.key())) {
            refused(roster, from, refused.key(), refused.cause(), now);
        }
    }

    /** A receiver has seen a message go over another engine: here it is one that its sender refused. So the next receive that would take it fails with it. */
    void sentElsewhere(int from, Notice.SentElsewhere sent, long now) {
        LeaderGroup roster = groups.find(from, GroupKey.of(sent.message()));
        if (roster != null) {
            refused(roster, roster.messages().requireSender(from, sent.message()), sent.message(), sent.cause(), now);
        }
    }

    private void refused(LeaderGroup roster, int from, CallKey said, Failure cause, long now) {
        roster.messages().require(from, said);
        if (roster.messages().isRefusedAgain(from, said)) {
            return;
        }
        arrive(roster, from, said, now, key -> {
            calls.fail(roster, key, cause, now);
            calls.lastWord(roster, key, from);
        });
    }

    /** A member speaks of a call for the first time, which a receive from any may take if it is a message. @param deal deals with it by its identity */
    private void arrive(LeaderGroup roster, int from, CallKey said, long now, Consumer<CallKey> deal) {
        roster.messages().require(from, said);
        CallKey key = roster.messages().keyOf(from, said);
        Notice.Ready taker = taker(roster, from, key, now);
        roster.messages().posted(from, said);
        deal.accept(key);
        if (taker != null) {
            ready(roster, roster.receiverOf(key), key, taker, now);
        }
    }

    /** {@return the receive from any that takes a message whose sender speaks of it, or null; it is in line no more} */
    private Notice.@Nullable Ready taker(LeaderGroup roster, int from, CallKey key, long now) {
        CallKey.Message any = roster.messages().taker(from, key, roster.isAwaited(key));
        PendingCall waiting = any == null ? null : roster.pending().remove(any);
        if (any == null || waiting == null) {
            return null;
        }
        takes(roster, any, (CallKey.Message) key, now);
        calls.forget(waiting);
        return waiting.said().get(roster.receiverOf(key));
    }

    /** A receive from any has found a message: those behind it that name the sender are for the ones after. */
    private void takes(LeaderGroup roster, CallKey.Message any, CallKey.Message message, long now) {
        int receiver = roster.receiverOf(message);
        List<CallKey.Message> behind = roster.messages().behind(any, message);
        List<CallKey> before = behind.stream()
                .map(each -> roster.messages().keyOf(receiver, each))
                .toList();
        roster.messages().takes(any, message);
        List<Notice.Ready> again = new ArrayList<>();
        for (int i = behind.size() - 1; i >= 0; i--) {
            PendingCall waiting = roster.pending().get(before.get(i));
            calls.failedAs(roster, before.get(i), roster.messages().keyOf(receiver, behind.get(i)), now);
            if (waiting != null) {
                roster.pending().remove(before.get(i));
                calls.forget(waiting);
                again.addFirst(waiting.said().get(receiver));
            }
        }
        again.forEach(each -> ready(roster, receiver, roster.messages().keyOf(receiver, each.key()), each, now));
    }

    private void ready(LeaderGroup roster, int from, CallKey key, Notice.Ready ready, long now) {
        PendingCall gathering = calls.ready(roster, from, key, ready);
        if (gathering != null && !composites.fails(from, gathering, key, now)) {
            calls.gathered(gathering, now);
        }
    }

    /**
     * A member cannot do its part in a call for which it was ready: if the others have been told to begin, that is the end of the group.
     */
    void withdrawn(int from, Notice.Failed withdrawn, long now) {
        LeaderGroup roster = groups.find(from, GroupKey.of(withdrawn.key()));
        if (roster == null) {
            return;
        }
        roster.messages().require(from, withdrawn.key());
        CallKey key = roster.messages().keyOf(from, withdrawn.key());
        if (roster.pending().contains(key)) {
            calls.fail(roster, key, withdrawn.cause(), now);
        }
        if (roster.failed().contains(key)) {
            calls.lastWord(roster, key, from);
            roster.messages().forget(withdrawn.key());
        } else {
            groups.end(new Notice.Ended(roster.group(), withdrawn.cause(), true));
        }
    }

    /** The other end of a message will not be made; whoever makes it later asks again. */
    void leftOut(int from, Notice.LeftOut leftOut) {
        CallKey key = leftOut.key();
        LeaderGroup roster = groups.find(from, GroupKey.of(key));
        if (roster == null) {
            return;
        }
        PendingCall waiting = roster.pending().get(key);
        FailedCall failed = roster.failed().get(key);
        if (waiting != null && waiting.lacks(from)) {
            calls.failPart(waiting, leftOut.cause(), 0);
        } else if (failed != null && failed.over(from)) {
            roster.failed().remove(key);
        }
    }
}
