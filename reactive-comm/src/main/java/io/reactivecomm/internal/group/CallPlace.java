package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.internal.base.OwnThreads;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.observe.ContextObservers;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * The place where calls are counted: a group by itself, a step of it, or a run of a composite call.
 *
 * @param layout the group's ranks and their hosts
 * @param composite the run that its calls are part of, or null
 * @param counts counts them
 * @param messages counts the messages among them
 */
record CallPlace(
        RankDriver driver,
        GroupState group,
        GroupTraits traits,
        Layout layout,
        @Nullable Composite composite,
        CallCounts counts,
        MessageNumbers messages) {

    /** The number of a message that is not matched yet. */
    static final long UNKNOWN = -1;

    /** A group's own, in which nothing has been counted. */
    CallPlace(RankDriver driver, GroupState group, GroupTraits traits, CallCounts counts) {
        this(driver, group, traits, Layout.of(traits.hosts(), group.worldRanks()), null, counts, new MessageNumbers());
    }

    /** {@return the same group, in a run of a composite call} */
    CallPlace within(Composite run) {
        return new CallPlace(driver, group, traits, layout, run, new CallCounts.OfRun(), new MessageNumbers());
    }

    CallPlace in(GroupStep begun) {
        return new CallPlace(driver, group, traits, layout, null, begun, new MessageNumbers());
    }

    @Nullable Enclosure enclosure() {
        return composite == null ? null : composite.enclosure();
    }

    CallKey.Ticket key(CallOptions options, long ticket, int ordinal) {
        return new CallKey.Ticket(
                group.generation(), group.id(), counts.step(), options.name(), ticket, ordinal, enclosure());
    }

    /** {@return the identity of a message, in which the number is unknown until it is matched} */
    CallKey key(Submission.Address address) {
        return switch (address) {
            case Submission.Address.To to -> message(to.name(), to.tag(), group.rank(), to.peer(), UNKNOWN);
            case Submission.Address.From from -> message(from.name(), from.tag(), from.peer(), group.rank(), UNKNOWN);
            case Submission.Address.Collectively collective -> collective.key();
        };
    }

    CallKey.Message message(String name, int tag, int source, int destination, long number) {
        return new CallKey.Message(
                group.generation(), group.id(), counts.step(), name, tag, source, destination, number, enclosure());
    }

    /** {@return whether anybody hears of a call: by its group, its view, or its subscriber's Context} */
    boolean isObserved(CallOptions options, ContextView context) {
        return !group.observers().isEmpty()
                || options.observers() != null
                || !ContextObservers.in(context).isEmpty();
    }

    /** {@return what tells those who observe the group of a call} */
    Observation observation(CallKey key, int ordinal, Observation.What what, boolean isOverLinks, long subscribedAt) {
        return new Observation(
                group.observers(), driver.clock(), group.forEngines(), key, ordinal, what, isOverLinks, subscribedAt);
    }

    /** {@return whether somebody wants to know where a view's calls are assembled} */
    boolean wantsSites(CallOptions options) {
        Observers ofView = options.observers();
        return traits.callSites() || group.observers().wantCallSites() || ofView != null && ofView.wantCallSites();
    }

    /** {@return the time that a call has from now on: its own, or what is left of its composite's} */
    long leftNanos(CallOptions options, long now) {
        long own = nanos(options.deadline());
        return composite == null ? own : Math.min(own, composite.leftNanos(now));
    }

    /** {@return the deadline in nanoseconds, cut to what can be added to a clock's reading} */
    static long nanos(Duration deadline) {
        return OwnThreads.countable(deadline).toNanos();
    }

    /** {@return an error of this rank's, for all to read: with its place, unless it says already where it is from} */
    Failure failure(CommException error, String label) {
        int rank = group.worldRank(group.rank());
        String text = CommException.textOf(error);
        boolean isNamed = label.isEmpty() || text.contains("call=" + label + ",");
        String where = text.contains(" (rank=") ? "" : " (rank=" + rank + (isNamed ? "" : ", call=" + label) + ")";
        return Failure.of(error, rank).withText(text + where);
    }
}
