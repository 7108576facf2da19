package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.observe.CallRecords;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.PeerNews;
import java.util.List;
import java.util.function.LongSupplier;

/** The news for observers that are none of a call's. They are told when the event's frames are written. Owned by the loop. */
final class Events {

    private final World world;
    private final Signals signals;
    private final LongSupplier now;

    Events(World world, Signals signals, LongSupplier now) {
        this.world = world;
        this.signals = signals;
        this.now = now;
    }

    /** A call waits, and the others have been asked. */
    void waiting(Call call, List<Integer> late, List<Integer> silent, String text) {
        GroupState group = call.group();
        if (group.observers().hearEvents()) {
            CommEvent event = new CommEvent.Waiting(
                    world.rank(), now.getAsLong(), group.id(), CallRecords.readable(call.label()), late, silent, text);
            signals.add(() -> group.observers().tell(event));
        }
    }

    /** A rank is lost. */
    void lost(int rank, String cause) {
        tellGroupsOf(rank, new CommEvent.PeerLost(world.rank(), now.getAsLong(), rank, cause));
    }

    /** A rank says that its loop does not turn, or does again. */
    void heldUp(PeerNews.HeldUp news) {
        tellGroupsOf(
                news.rank(),
                new CommEvent.LoopHeld(world.rank(), now.getAsLong(), news.rank(), news.nanos(), news.doing()));
    }

    /** Clocks have been compared. It is for observers alone. */
    void compared(PeerNews.ClockCompared news) {
        tellGroupsOf(
                news.rank(),
                new CommEvent.ClockCompared(
                        world.rank(), news.at(), news.rank(), news.offsetNanos(), news.boundNanos()));
    }

    /** A group ends; only the first time is news. */
    void ended(GroupState group, Failure failure) {
        if (group.ended() == null && !group.isControl() && group.observers().hearEvents()) {
            CommEvent event = new CommEvent.GroupFailed(world.rank(), now.getAsLong(), group.id(), failure.text());
            signals.add(() -> group.observers().tell(event));
        }
    }

    /** Once to those that hear of the whole world. */
    private void tellGroupsOf(int rank, CommEvent event) {
        for (GroupState group : world.groups()) {
            if (group.groupRank(rank) >= 0
                    && !group.isControl()
                    && group.observers().hearEvents()) {
                signals.add(() -> tell(group, event));
            }
        }
    }

    private static void tell(GroupState group, CommEvent event) {
        if (group.isWorld()) {
            group.observers().tell(event);
        } else {
            group.observers().tellOwn(event);
        }
    }
}
