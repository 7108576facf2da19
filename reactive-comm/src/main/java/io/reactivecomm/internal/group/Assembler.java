package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.driver.GroupEnd;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.stream.StreamWatch;
import io.reactivecomm.internal.stream.StreamWitness;
import io.reactivecomm.internal.stream.TensorStreams;
import io.reactivecomm.internal.switches.Switches;
import io.reactivecomm.internal.switches.WorldSwitches;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.WarningLog;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;

/**
 * The assembly of calls: gives each its place among those of its group, of one of its numbered scopes, or of a run of a composite call.
 *
 * <p><b>Threads.</b> Any.
 */
final class Assembler {

    private static final Logger LOG = WarningLog.of(Assembler.class);

    /** In place of an ordinal: all subscriptions of a call. */
    private static final int EACH = 0;

    private final CallPlace place;
    private final CallStart start;
    private final GroupEnd end;
    private final GroupSteps steps;
    private final TensorStreams streams;
    private final AtomicBoolean hasWarned;

    /** One for the calls of a group that are in no numbered scope and no composite call. */
    Assembler(RankDriver driver, GroupState group, GroupTraits traits) {
        this.steps = new GroupSteps(group, this::inStep, this::stepped, traits.switches()::whyOff);
        this.place = new CallPlace(driver, group, traits, steps.outside());
        this.start = new CallStart(place);
        this.end = new GroupEnd();
        this.hasWarned = new AtomicBoolean();
        this.streams = new TensorStreams(driver.answers(), StreamWatch.NONE, place.messages()::over, this::refused);
        group.assembledBy(steps);
    }

    /** One whose calls are counted apart. */
    private Assembler(Assembler other, CallPlace place, StreamWatch watch) {
        this.place = place;
        this.start = new CallStart(place);
        this.end = other.end;
        this.hasWarned = other.hasWarned;
        this.steps = other.steps;
        this.streams = new TensorStreams(place.driver().answers(), watch, place.messages()::over, this::refused);
    }

    /** {@return one for the same group whose calls are part of that run, and are counted in it} */
    Assembler within(Composite enclosing, StreamWatch watch) {
        return new Assembler(this, place.within(enclosing), watch);
    }

    private Assembler inStep(GroupStep begun) {
        return new Assembler(this, place.in(begun), begun);
    }

    /**
     * {@return one for the same group whose calls are counted in the scope of that number}
     *
     * @throws io.reactivecomm.InvalidCallException if a later one has begun
     */
    Assembler step(long number) {
        return steps.step(number).assembler();
    }

    private void stepped() {
        driver().stepped(group());
        traits().backends().stepped(group());
    }

    /** {@return one for a group that was made of this one} */
    Assembler of(GroupState child) {
        return new Assembler(driver(), child, traits()).watched();
    }

    /** Begins to listen for the group's end. {@return this} */
    Assembler watched() {
        driver().watch(group(), cause -> traits().backends().fail(group(), cause), end);
        return this;
    }

    CallPlace place() {
        return place;
    }

    /** {@return the run that its calls are part of, or null} */
    @Nullable Composite composite() {
        return place.composite();
    }

    TensorStreams streams() {
        return streams;
    }

    GroupEnd end() {
        return end;
    }

    GroupState group() {
        return place.group();
    }

    GroupTraits traits() {
        return place.traits();
    }

    RankDriver driver() {
        return place.driver();
    }

    /**
     * {@return the next ticket of a name, which is now taken}
     *
     * @throws io.reactivecomm.InvalidCallException if they would be those of a numbered scope that is over
     */
    long take(String name) {
        warnOfStray();
        return place.counts().take(name);
    }

    /** A body that calls through its composite's group, and not through its view of it, makes calls that are no part of the composite. */
    private void warnOfStray() {
        Composite running = BodyThread.running();
        if (running != null && composite() == null && running.group() == group() && !hasWarned.getAndSet(true)) {
            LOG.warn(
                    "a call was assembled on the group of a composite call from inside its body, and is no part of it: composite={}, rank={}; "
                            + "call through the view that the body is given",
                    running.key().label(),
                    group().rank());
        }
    }

    /** {@return the outcome of a call's checks} */
    Checked checked(Supplier<? extends Collective> call) {
        return Checked.call(call, group(), driver().loop());
    }

    /** {@return a collective that is assembled now} */
    Assembly collective(CallOptions options, Checked checked) {
        Switches switches = switches(options);
        long ticket = take(options.name());
        String site = site(options);
        Collective call = checked.collective();
        if (call != null && switches.isOff(call)) {
            if (switches.isOfWorld()) {
                isOff(options, ticket, switches);
            }
            return (ordinal, sink) -> start.nothing(call, options, ticket, ordinal, site, sink);
        }
        return (ordinal, sink) -> {
            sink.assembledIn(switches);
            return start.collective(options, checked, ticket, ordinal, site, null, sink);
        };
    }

    /** The call with that ticket is off, in all its subscriptions: peers that wait for it, or will, are answered. */
    void isOff(CallOptions options, long ticket, Switches switches) {
        traits().switches().calls().add(key(options, ticket, EACH), switches.ofWorld());
        answerWaiting();
    }

    /** A run of a composite call is off. */
    void isOff(CallKey.Ticket run, Switches switches) {
        traits().switches().calls().addRun(run, switches.ofWorld());
        answerWaiting();
    }

    /** One turn of the loop answers for all calls that are off by then. */
    private void answerWaiting() {
        GroupState asked = group();
        for (Composite run = composite(); run != null; run = run.outer()) {
            asked = run.group();
        }
        GroupState of = asked;
        WorldSwitches switches = traits().switches();
        if (of.size() > 1 && switches.mayAnswer(of.id())) {
            driver().look(engine -> {
                switches.answers(of.id());
                engine.stepped(of, driver().loop().nanoTime());
                traits().backends().stepped(of);
            });
        }
    }

    /** {@return the switches that apply to calls of a view} */
    Switches switches(CallOptions options) {
        Switches ofView = options.switches();
        return ofView == null ? traits().switches().now() : ofView;
    }

    /** {@return a call of which nobody else is to know, since it could not be made; that its group has ended comes first here too} */
    Mono<Work> refused(CommException error) {
        Failure failure = place.failure(error, "");
        return new CallMono(driver(), composite(), (ignored, sink) -> start.refusal(failure, sink));
    }

    /** {@return a message to a rank, assembled now} */
    Assembly send(int peer, int tag, CallOptions options, Checked checked) {
        return message(new Submission.Address.To(place.counts().step(), options.name(), tag, peer), options, checked);
    }

    /** {@return a receive from a rank or any, assembled now} */
    Assembly receive(int peer, int tag, CallOptions options, Checked checked) {
        return message(new Submission.Address.From(place.counts().step(), options.name(), tag, peer), options, checked);
    }

    private Assembly message(Submission.Address address, CallOptions options, Checked checked) {
        warnOfStray();
        place.counts().assembled(address);
        String site = site(options);
        return (ordinal, sink) -> start.message(address, options, checked, ordinal, site, sink);
    }

    /**
     * {@return one subscription of one call}
     *
     * @param forms the group that this rank is a member of if the call succeeds, or null
     */
    Mono<Work> once(
            CallOptions options, Checked checked, long ticket, int ordinal, String site, @Nullable GroupState forms) {
        return new CallMono(
                driver(),
                composite(),
                (ignored, sink) -> start.collective(options, checked, ticket, ordinal, site, forms, sink));
    }

    CallKey.Ticket key(CallOptions options, long ticket, int ordinal) {
        return place.key(options, ticket, ordinal);
    }

    /** {@return what tells of streams of a view, assembled now} */
    StreamWitness witness(CallOptions options) {
        String site = site(options);
        return (stream, number, context) -> start.stream(options, stream, number, site, context);
    }

    /** {@return where in the program a call is assembled now, if somebody wants to know} */
    String site(CallOptions options) {
        if (!place.wantsSites(options)) {
            return CallSite.NONE;
        }
        return options.site().isEmpty() ? CallSite.here() : options.site();
    }
}
