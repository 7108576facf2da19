package io.reactivecomm.simulator;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/** The observation of a simulated call, as a group makes it: by the virtual clock. */
final class CallerObservation {

    private static final int FIRST = 1;
    private static final long UNKNOWN = -1;

    private CallerObservation() {}

    /** {@return what tells of a call that is subscribed to now, or null if nobody observes its group} */
    static @Nullable Observation of(
            GroupState group,
            Submission.Address address,
            @Nullable Composite within,
            @Nullable Collective call,
            Submission.Body body,
            VirtualNetwork network) {
        if (group.observers().isEmpty()) {
            return null;
        }
        Observation.What what = call == null || !(body instanceof Submission.Body.Valid valid)
                ? Observation.What.refused(Submission.BACKEND)
                : Observation.What.of(call, group.size(), valid.algorithm(), Submission.BACKEND);
        CallKey key = key(group, address, within == null ? null : within.enclosure());
        Observation begun = new Observation(
                group.observers(),
                network.agenda()::now,
                group.forEngines(),
                key,
                FIRST,
                what,
                true,
                network.agenda().now());
        begun.subscribed(Context.empty());
        return begun;
    }

    private static CallKey key(GroupState group, Submission.Address address, @Nullable Enclosure enclosure) {
        return switch (address) {
            case Submission.Address.Collectively collective -> collective.key();
            case Submission.Address.To to ->
                new CallKey.Message(
                        group.generation(),
                        group.id(),
                        to.name(),
                        to.tag(),
                        group.rank(),
                        to.peer(),
                        UNKNOWN,
                        enclosure);
            case Submission.Address.From from ->
                new CallKey.Message(
                        group.generation(),
                        group.id(),
                        from.name(),
                        from.tag(),
                        from.peer(),
                        group.rank(),
                        UNKNOWN,
                        enclosure);
        };
    }
}
