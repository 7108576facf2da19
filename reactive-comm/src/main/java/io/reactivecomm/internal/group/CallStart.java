package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.device.Device;
import io.reactivecomm.internal.backend.BackendChoice;
import io.reactivecomm.internal.backend.Backends;
import io.reactivecomm.internal.backend.ForeignCall;
import io.reactivecomm.internal.base.LateFaults;
import io.reactivecomm.internal.base.ProgramError;
import io.reactivecomm.internal.base.StreamName;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.stream.StreamPlace;
import io.reactivecomm.internal.switches.Switches;
import io.reactivecomm.internal.transfer.MemoryFaults;
import io.reactivecomm.observe.ContextObservers;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.link.Frame;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * The subscription of calls that were assembled: borrows their tensors, finds their schedule, and hands them to the engine that performs them.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param place where they were assembled
 */
record CallStart(CallPlace place) {

    /** The ordinal of a stream: each subscription has a number of its own. */
    private static final int FIRST = 1;

    private GroupState group() {
        return place.group();
    }

    private RankDriver driver() {
        return place.driver();
    }

    private Backends backends() {
        return place.traits().backends();
    }

    /** Notes that a call is subscribed to, and is under way until its sink is told of the end. */
    private interface Noting {

        /** @throws InvalidCallException if it is too late for that */
        void note(CallCounts counts);
    }

    /**
     * {@return what begins a collective}
     *
     * @param forms the group that this rank is a member of if the call succeeds, or null
     */
    Runnable collective(
            CallOptions options,
            Checked checked,
            long ticket,
            int ordinal,
            String site,
            @Nullable GroupState forms,
            Borrowing sink) {
        Noting noting = counts -> counts.subscribed(options.name(), ticket, ordinal, sink);
        Backends.Choice choice;
        try {
            choice = elsewhere(checked.collective(), options);
        } catch (Exception | Error e) {
            return overLinks(options, Checked.refused(errorOf(e)), ticket, ordinal, site, forms, noting, sink);
        }
        return choice == null
                ? overLinks(options, checked, ticket, ordinal, site, forms, noting, sink)
                : elsewhere(choice, checked.require(), options, ticket, ordinal, site, noting, sink);
    }

    private Runnable overLinks(
            CallOptions options,
            Checked checked,
            long ticket,
            int ordinal,
            String site,
            @Nullable GroupState forms,
            Noting noting,
            Borrowing sink) {
        CallKey.Ticket key = place.key(options, ticket, ordinal);
        Submission.Body body = body(checked, key, options, noting, sink);
        if (body instanceof Submission.Body.Invalid invalid) {
            backends().refused(group(), key, invalid.failure());
        }
        String compared = place.traits().callSites() ? site : CallSite.NONE;
        Submission submission = submission(
                new Submission.Address.Collectively(key), body, options, compared, forms, sink, Frame.Wanted.NONE);
        if (isObserved(options, sink)) {
            observe(options, key, ordinal, checked, submission, site, sink);
        }
        return () -> driver().submit(submission);
    }

    /** {@return what begins a message or a receive; its two ends are two places of the program, which are not compared} */
    Runnable message(
            Submission.Address address,
            CallOptions options,
            Checked checked,
            int ordinal,
            String site,
            Borrowing sink) {
        Noting noting = counts -> counts.subscribed(address, ordinal, sink);
        boolean isCounted = backends().hasOthers();
        long number = isCounted ? place.messages().take(address) : Frame.Wanted.NONE;
        Backends.Choice choice;
        try {
            choice = elsewhere(isNote(address) ? null : checked.collective(), options.withAlgorithm(""));
            if (isCounted && checked.collective() != null) {
                place.messages().requireOneEngine(address, choice == null ? BackendChoice.LINKS : choice.name());
            }
        } catch (Exception | Error e) {
            return overLinks(address, number, ordinal, options, Checked.refused(errorOf(e)), site, noting, sink);
        }
        return choice == null
                ? overLinks(address, number, ordinal, options, checked, site, noting, sink)
                : elsewhere(choice, checked.require(), options, number, ordinal, site, noting, sink);
    }

    /** A stream's notes go by links, whoever moves its tensors: they are small, and what one end has sent outlasts it there. */
    private static boolean isNote(Submission.Address address) {
        return switch (address) {
            case Submission.Address.To to -> StreamPlace.isNote(to.name());
            case Submission.Address.From from -> StreamPlace.isNote(from.name());
            case Submission.Address.Collectively ignored -> false;
        };
    }

    private Runnable overLinks(
            Submission.Address address,
            long number,
            int ordinal,
            CallOptions options,
            Checked checked,
            String site,
            Noting noting,
            Borrowing sink) {
        CallKey key = place.key(address);
        Submission.Body body = body(checked, key, options, noting, sink);
        long known = Frame.Wanted.NONE;
        if (backends().hasOthers()) {
            tellOthers(address, number, body);
            known = place.messages().onLinks(address, number);
        }
        Submission submission = submission(address, body, options, CallSite.NONE, null, sink, known);
        if (isObserved(options, sink)) {
            observe(options, key, ordinal, checked, submission, site, sink);
        }
        return () -> driver().submit(submission);
    }

    /** Which engine the other end gave a message to that was refused is not known here; one that any might have sent has no other end. */
    private void tellOthers(Submission.Address address, long number, Submission.Body body) {
        if (body instanceof Submission.Body.Invalid invalid) {
            switch (address) {
                case Submission.Address.To to ->
                    refuse(to.name(), to.tag(), group().rank(), to.peer(), number, invalid.failure());
                case Submission.Address.From from ->
                    refuse(from.name(), from.tag(), from.peer(), group().rank(), number, invalid.failure());
                case Submission.Address.Collectively collective ->
                    throw new IllegalArgumentException(
                            "not a message: call=" + collective.key().label());
            }
        }
    }

    private void refuse(String name, int tag, int source, int destination, long number, Failure cause) {
        int size = group().size();
        boolean hasOtherEnd =
                source != destination && source >= 0 && destination >= 0 && source < size && destination < size;
        if (hasOtherEnd) {
            backends().refused(group(), place.message(name, tag, source, destination, number), cause);
        }
    }

    /** {@return what begins nothing, and succeeds} */
    Runnable nothing(Collective call, CallOptions options, long ticket, int ordinal, String site, Borrowing sink) {
        place.counts().subscribed(options.name(), ticket, ordinal, sink);
        CallKey.Ticket key = place.key(options, ticket, ordinal);
        if (isObserved(options, sink)) {
            observe(
                    () -> Observation.What.of(call, group().size(), Switches.OFF, Submission.BACKEND),
                    Submission.BACKEND,
                    what -> observe(
                            options, key, ordinal, what, true, driver().loop().nanoTime(), site, sink));
        }
        Work nothing = Switches.nothing(call, key, group().size());
        return () -> driver().endUnbegun(group(), sink, each -> each.succeeded(nothing));
    }

    /** {@return what begins nothing, and fails} */
    Runnable refusal(Failure failure, Borrowing sink) {
        return () -> driver().endUnbegun(group(), sink, each -> each.failed(failure));
    }

    /** {@return whether a call has to be described for observers} Most calls have none. */
    private boolean isObserved(CallOptions options, Borrowing sink) {
        return place.isObserved(options, sink.context());
    }

    private void observe(
            CallOptions options,
            CallKey key,
            int ordinal,
            Checked checked,
            Submission submission,
            String site,
            Borrowing sink) {
        Collective call = checked.collective();
        String algorithm = submission.body() instanceof Submission.Body.Valid valid ? valid.algorithm() : "";
        long subscribedAt = submission.subscribedAt();
        if (call == null) {
            observe(
                    options,
                    key,
                    ordinal,
                    Observation.What.refused(Submission.BACKEND),
                    true,
                    subscribedAt,
                    site,
                    sink);
        } else {
            observe(
                    () -> Observation.What.of(call, group().size(), algorithm, Submission.BACKEND),
                    Submission.BACKEND,
                    what -> observe(options, key, ordinal, what, true, subscribedAt, site, sink));
        }
    }

    /** A tensor that throws when it is described does not keep the call, or the other ranks' news of its failure, from beginning. */
    private void observe(Supplier<Observation.What> description, String backend, Consumer<Observation.What> observing) {
        try {
            observing.accept(description.get());
        } catch (Exception | Error e) {
            errorOf(e);
            observing.accept(Observation.What.refused(backend));
        }
    }

    private void observe(
            CallOptions options,
            CallKey key,
            int ordinal,
            Observation.What what,
            boolean isOverLinks,
            long subscribedAt,
            String site,
            Borrowing sink) {
        sink.observed(place.observation(key, ordinal, what, isOverLinks, subscribedAt)
                .from(site, driver().worldSize())
                .heardBy(options.observers(), ContextObservers.in(sink.context())));
    }

    /** {@return what tells observers of the end of a stream's end, which begins now} */
    Consumer<@Nullable Throwable> stream(
            CallOptions options, StreamPlace stream, long number, String site, ContextView context) {
        if (!place.isObserved(options, context)) {
            return end -> {};
        }
        int source = stream.isOutgoing() ? group().rank() : stream.peer();
        int destination = stream.isOutgoing() ? stream.peer() : group().rank();
        CallKey key = place.message(
                StreamName.of(stream.name(), number), stream.tag(), source, destination, CallPlace.UNKNOWN);
        Observation.What what = Observation.What.composite(stream.isOutgoing() ? "stream send" : "stream receive");
        Observation begun = place.observation(
                        key, FIRST, what, false, driver().loop().nanoTime())
                .from(site, driver().worldSize())
                .heardBy(options.observers(), ContextObservers.in(context));
        begun.subscribed(context);
        return begun::ended;
    }

    private Submission submission(
            Submission.Address address,
            Submission.Body body,
            CallOptions options,
            String site,
            @Nullable GroupState forms,
            Borrowing sink,
            long messageNumber) {
        long now = driver().loop().nanoTime();
        return new Submission(
                group(),
                place.composite(),
                address,
                body,
                now,
                place.leftNanos(options, now),
                options.priority(),
                site,
                forms,
                sink,
                messageNumber);
    }

    /**
     * {@return the engine other than links that performs a call, or null} Exceptions of its tensors propagate.
     *
     * @throws CommException if none performs it as its view asks
     */
    private Backends.@Nullable Choice elsewhere(@Nullable Collective call, CallOptions options) {
        LateFaults.throwPending();
        if (call == null) {
            return null;
        }
        try {
            Backends.Choice choice = backends().elsewhere(call, group());
            requireAble(call, choice, options);
            return choice;
        } catch (InternalError e) {
            throw ProgramError.of(e);
        }
    }

    /** {@return the error of a call that cannot begin} A tensor, or an engine, may be the program's own. The other ranks wait for this call. */
    private CommException errorOf(Throwable thrown) {
        return Checked.errorOf(thrown, group(), driver().loop());
    }

    /** Algorithms are those of links, and queues are those of devices: a program that asks for one does not silently get something else. */
    private static void requireAble(Collective call, Backends.@Nullable Choice choice, CallOptions options) {
        if (choice != null && !options.wish().algorithm().isEmpty()) {
            throw new UnsupportedCollectiveException(
                    call.label() + " cannot run an algorithm of links on another engine: algorithm="
                            + options.wish().algorithm() + ", engine=" + choice.name()
                            + "; leave the algorithm out, or choose links for the tensors' device");
        }
        if (options.isEnqueued()
                && isOfTheHost(call)
                && (choice == null || !choice.engine().enqueues())) {
            throw new UnsupportedCollectiveException(
                    call.label() + " cannot end when it is enqueued, since its engine has no queue: engine="
                            + (choice == null ? BackendChoice.LINKS : choice.name())
                            + "; call through the group itself instead of enqueued()");
        }
    }

    /** A call without tensors has nothing to wait for; one of devices that nobody performs fails for that. */
    private static boolean isOfTheHost(Collective call) {
        return !call.tensors().isEmpty()
                && call.tensors().stream().allMatch(tensor -> tensor.device().equals(Device.CPU));
    }

    private Runnable elsewhere(
            Backends.Choice choice,
            Collective call,
            CallOptions options,
            long ticket,
            int ordinal,
            String site,
            Noting noting,
            Borrowing sink) {
        long now = driver().loop().nanoTime();
        Duration left = Duration.ofNanos(place.leftNanos(options, now));
        EngineCall engineCall = new EngineCall(
                group().forEngines(),
                place.counts().step(),
                options.name(),
                ticket,
                ordinal,
                place.enclosure(),
                call,
                left,
                options.priority(),
                options.isEnqueued() && choice.engine().enqueues(),
                false);
        if (isObserved(options, sink)) {
            observe(
                    () -> Observation.What.of(call, group().size(), "", choice.name()),
                    choice.name(),
                    what -> observe(options, engineCall.key(), ordinal, what, false, now, site, sink));
        }
        try {
            noting.note(place.counts());
            return performed(choice, engineCall, sink)::submit;
        } catch (Exception | Error e) {
            Failure failure = place.failure(errorOf(e), engineCall.key().label());
            if (!(call instanceof Receive receive) || receive.peer() != ProcessGroup.ANY) {
                backends().refused(group(), engineCall.key(), failure);
            }
            return refusal(failure, sink);
        }
    }

    private ForeignCall performed(Backends.Choice choice, EngineCall engineCall, Borrowing sink) {
        Collective call = engineCall.collective();
        try {
            take(call, engineCall.key(), order(choice, call), sink);
            Backends.requireUsable(choice, group(), call);
            EngineCall claimed = engineCall.withSharesMemory(sink.sharesMemory());
            return new ForeignCall(driver(), group(), choice, place.composite(), claimed, sink, sink::handOver);
        } catch (InternalError e) {
            throw ProgramError.of(e);
        }
    }

    /** {@return the engine, if its device does this call in one order with others} The host's memory has none. */
    private static @Nullable Object order(Backends.Choice choice, Collective call) {
        boolean isOrdered = choice.engine().isOrderedByDevice()
                && call.tensors().stream().noneMatch(tensor -> tensor.device().equals(Device.CPU));
        return isOrdered ? choice.engine() : null;
    }

    /** {@return the body of a subscription's submission: a call, or its refusal} No other code decides between the two. */
    private Submission.Body body(Checked checked, CallKey key, CallOptions options, Noting noting, Borrowing sink) {
        try {
            noting.note(place.counts());
            return sound(checked.require(), key, options, sink);
        } catch (Exception | Error e) {
            return new Submission.Body.Invalid(
                    place.failure(errorOf(e), key instanceof CallKey.Ticket ? key.label() : ""));
        }
    }

    /** No element is read here, so an {@link InternalError} is no lost page but an error of a tensor of the program's own. */
    private Submission.Body sound(Collective collective, CallKey key, CallOptions options, Borrowing sink) {
        try {
            backends().requireLinks(collective, group());
            take(collective, key, null, sink);
            return key instanceof CallKey.Ticket
                    ? scheduled(collective, options)
                    : Submission.Body.Valid.message(collective);
        } catch (InternalError e) {
            throw ProgramError.of(e);
        }
    }

    private Submission.Body scheduled(Collective collective, CallOptions options) {
        Plans plans = place.traits().plans();
        int rank = group().rank();
        Layout layout = place.layout();
        if (collective instanceof Coalesced scope) {
            boolean isOneKind = scope.fused().size() == 1;
            return Submission.Body.Valid.coalesced(
                    scope,
                    rank,
                    layout.size(),
                    each -> plans.coalesced(
                            each, isOneKind, rank, layout, options.wish().bits()));
        }
        Plans.Plan plan = plans.plan(collective, rank, layout, options.wish());
        return new Submission.Body.Valid(collective, plan.signature(), plan.schedule(), layout.size());
    }

    /** Borrows a call's tensors and claims them, but for calls of an engine through its control group: those are parts of a call that has claimed. */
    private void take(Collective collective, CallKey key, @Nullable Object order, Borrowing sink) {
        sink.borrow(collective, key, order);
        if (!group().isControl()) {
            int rank = group().rank();
            sink.claim(driver(), group(), place.composite(), collective.reads(rank), collective.writes(rank));
        }
        List<Tensor> tensors = collective.tensors();
        for (int i = 0; i < tensors.size(); i++) {
            String why =
                    MemoryFaults.whyOutOfReach(tensors.get(i), driver().loop().thread());
            if (why != null) {
                throw new InvalidCallException(
                        collective.label() + " cannot use its tensor: " + why + MemoryFaults.REMEDY);
            }
        }
    }
}
