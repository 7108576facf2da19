package io.reactivecomm.simulator;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.train.StepEffects;
import io.reactivecomm.internal.train.StepMachine;
import io.reactivecomm.internal.train.StepMachine.HookPlace;
import io.reactivecomm.simulator.GradientScenario.DrawnHook;
import io.reactivecomm.simulator.GradientScenario.Item;
import io.reactivecomm.simulator.GradientScenario.RankPart;
import io.reactivecomm.simulator.GradientScenario.Saying;
import io.reactivecomm.simulator.GradientScenario.TroubleKind;
import io.reactivecomm.train.Gradient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One rank's run of one step: the machine, and around it the source, the hooks, the composite calls and the program. It checks each effect against the contract of steps, and
 * the results against the oracle.
 */
final class GradientRun implements StepEffects {

    /** All gradients share it: their values are kept apart. */
    private static final Tensor ELEMENTS = Tensor.allocate(DType.INT64, 1);

    private static final long UNLIMITED = Long.MAX_VALUE;

    /** A deadline, in units of the time that anything takes: longer than any step. */
    private static final long DEADLINE_SPANS = 1_000;

    private final GradientScenario scenario;
    private final GradientNetwork network;
    private final GradientOracle oracle;
    private final int step;
    private final int rank;
    private final Runnable onEnd;
    private final RankPart part;
    private final StepMachine machine;
    private final List<SimulatedHook> hooks = new ArrayList<>();
    private final List<Integer> withCalls;
    private final List<GradientComposite> composites = new ArrayList<>();
    private final Map<Gradient, Long> values = new IdentityHashMap<>();
    private final Map<String, Long> results = new HashMap<>();
    private final Set<String> notices = new TreeSet<>();
    private final Set<Integer> announced = new TreeSet<>();

    private boolean isSubscribed;
    private boolean isSourceOver;
    private boolean isProducing;
    private long credit;
    private int sent;
    private int begunHooks;
    private int applied;
    /** No hook may be called any more. */
    private boolean isStopped;

    private boolean isCancelled;
    private boolean isComplete;
    private boolean haveViewsEnded;
    private boolean hasEnded;
    private boolean isToldOfFailure;
    private long wanted;
    private int takingBack;
    private int holds;

    GradientRun(
            GradientScenario scenario,
            GradientNetwork network,
            GradientOracle oracle,
            int step,
            int rank,
            Runnable onEnd) {
        this.scenario = scenario;
        this.network = network;
        this.oracle = oracle;
        this.step = step;
        this.rank = rank;
        this.onEnd = onEnd;
        this.part = scenario.steps().get(step).get(rank);
        this.withCalls = scenario.composites();
        List<HookPlace> places = new ArrayList<>();
        for (DrawnHook drawn : scenario.hooks()) {
            hooks.add(SimulatedHook.of(this, hooks.size(), drawn));
            places.add(new HookPlace(drawn.kind().hasGroup(), drawn.names()::contains));
        }
        this.machine = new StepMachine("step=0", places, withCalls.size(), this);
    }

    /** Subscribes. The turn comes later. */
    void start() {
        later(this::request);
        if (isTrouble(TroubleKind.CANCELLED)) {
            network.after(rank, scenario.trouble().after(), this::cancel);
        }
        later(() -> event(() -> "turn", machine::begin));
    }

    private boolean isTrouble(TroubleKind kind) {
        return scenario.trouble().is(kind, step, rank);
    }

    int rank() {
        return rank;
    }

    boolean isOver() {
        return hasEnded;
    }

    long home(int hook, String name) {
        return scenario.home(hook, rank, name);
    }

    void later(Runnable action) {
        network.later(rank, action);
    }

    /** {@return whether calls have deadlines, because nothing else ends this step} Otherwise they would hide a step that hangs. */
    boolean hasDeadlines() {
        return oracle.isCrossing();
    }

    void atDeadline(Runnable action) {
        network.after(rank, DEADLINE_SPANS * scenario.spanNanos(), action);
    }

    GradientComposite composite(int hook) {
        return composites.get(withCalls.indexOf(hook));
    }

    private void event(Supplier<String> what, Runnable event) {
        network.agenda().tell(rank, () -> "step " + step + ": " + what.get());
        event.run();
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new Violation(what + ": " + this);
        }
    }

    // The program.

    private void request() {
        if (!hasEnded && !isCancelled) {
            wanted = part.batch() == Integer.MAX_VALUE ? UNLIMITED : wanted + part.batch();
            event(
                    () -> "requests more",
                    () -> machine.requested(part.batch() == Integer.MAX_VALUE ? UNLIMITED : part.batch()));
        }
    }

    private void cancel() {
        if (!hasEnded) {
            isCancelled = true;
            isStopped = true;
            event(() -> "cancels", machine::cancel);
        }
    }

    @Override
    public boolean handOut(Gradient result) {
        require(!isCancelled, "a result comes after the cancellation");
        require(!hasEnded, "a result comes after the end");
        require(results.put(result.name(), value(result)) == null, "a result comes twice, name=" + result.name());
        require(results.size() <= wanted, "a result comes that is not wanted");
        boolean fails = isTrouble(TroubleKind.TAKING_BACK_FAILS)
                && results.size() == scenario.trouble().after() + 1;
        boolean isTaken = !fails && (rank + results.size()) % 3 == 0;
        if (!isTaken) {
            takingBack++;
            later(() -> {
                takingBack--;
                event(
                        () -> "has taken back " + result.name(),
                        () -> machine.takenBack(fails ? new GradientComposite.Fault("taking back") : null));
            });
        }
        if (results.size() == wanted) {
            later(this::request);
        }
        return isTaken;
    }

    @Override
    public void discard(Gradient result) {
        require(isStopped || isToldOfFailure || hasEnded, "a result is lost, name=" + result.name());
    }

    // The source.

    @Override
    public void subscribe() {
        require(!isSubscribed && !isStopped, "the pass runs, though the step is over");
        require(begunHooks == hooks.size(), "the pass runs before hooks begin");
        isSubscribed = true;
        later(this::produce);
    }

    @Override
    public void request(long count) {
        require(isSubscribed && !isSourceOver && count > 0, "gradients are requested of a source that is over");
        require(
                count == UNLIMITED || count <= wanted - results.size(),
                "more gradients are requested than results are wanted");
        credit = credit + count < 0 ? UNLIMITED : credit + count;
        later(this::produce);
    }

    @Override
    public void cancelSource() {
        isStopped = true;
        isSourceOver = true;
    }

    private void produce() {
        if (isSourceOver || isProducing) {
            return;
        }
        boolean fails = isTrouble(TroubleKind.SOURCE_FAILS)
                && sent >= Math.min(part.items().size(), scenario.trouble().after());
        if (fails) {
            isSourceOver = true;
            event(() -> "source fails", () -> machine.fail(new GradientComposite.Fault("source")));
        } else if (sent == part.items().size()) {
            isSourceOver = true;
            event(() -> "source ends", machine::sourceEnded);
        } else if (credit > 0) {
            credit--;
            isProducing = true;
            later(this::produced);
        }
    }

    private void produced() {
        isProducing = false;
        if (!isSourceOver) {
            Item item = part.items().get(sent++);
            event(item::toString, () -> machine.arrived(gradient(item)));
            produce();
        }
    }

    private Gradient gradient(Item item) {
        return switch (item.saying()) {
            case PRODUCED -> gradient(item.name(), scenario.produced(step, rank, item.name()));
            case ABSENT -> Gradient.absent(item.name());
            case KEPT -> Gradient.kept(item.name());
        };
    }

    private Gradient gradient(String name, long value) {
        Gradient gradient = new Gradient(name, ELEMENTS);
        values.put(gradient, value);
        return gradient;
    }

    private long value(Gradient gradient) {
        return Objects.requireNonNull(values.get(gradient));
    }

    // Composite calls.

    private final class News implements GradientComposite.Listener {

        @Override
        public void stopped() {
            isStopped = true;
            event(() -> "learns that a composite call has failed", machine::compositeStopped);
        }

        @Override
        public void ended(@Nullable Throwable error) {
            isToldOfFailure |= error != null;
            isStopped |= error != null;
            event(() -> "composite call has ended: " + error, () -> machine.compositeEnded(error));
        }
    }

    @Override
    public void open() {
        for (int hook : withCalls) {
            GradientComposite composite = network.composite(step, hook, rank);
            composites.add(composite);
            composite.open(rank, new News());
        }
        boolean fails = isTrouble(TroubleKind.OPENING_FAILS);
        later(() -> {
            if (fails) {
                event(() -> "opening fails", () -> machine.fail(new GradientComposite.Fault("opening")));
            }
            event(() -> "has opened", machine::opened);
        });
    }

    @Override
    public void complete() {
        require(!isStopped, "a step that has failed completes");
        require(hooks.stream().allMatch(SimulatedHook::isThrough), "the step completes before its hooks");
        isComplete = true;
        composites.forEach(composite -> composite.leave(rank));
    }

    @Override
    public void fail(Throwable error) {
        isStopped = true;
        isToldOfFailure = true;
        composites.forEach(composite -> composite.fail(rank, error));
    }

    @Override
    public void leave() {
        require(isCancelled, "a step is left that is not cancelled");
        composites.forEach(composite -> composite.leave(rank));
    }

    // The hooks.

    @Override
    public void begins(int hook) {
        require(!isStopped && hook == begunHooks, "hooks begin in another order, hook=" + hook);
        begunHooks++;
    }

    @Override
    public void apply(int hook, Gradient gradient) {
        require(isSubscribed && !isStopped, "a gradient enters a hook after the end, name=" + gradient.name());
        require(
                scenario.hooks().get(hook).names().contains(gradient.name()),
                "a hook gets a gradient that it does not take");
        boolean fails = isTrouble(TroubleKind.HOOK_FAILS)
                && applied++ == scenario.trouble().after();
        if (fails) {
            later(() -> failsStep(hook, new GradientComposite.Fault("hook")));
        }
        hooks.get(hook).apply(gradient.name(), value(gradient));
    }

    @Override
    public void notice(int hook, Gradient notice) {
        require(isSubscribed && !isStopped, "a notice comes to a hook after the end, name=" + notice.name());
        Saying saying = notice.kind() == Gradient.Kind.KEPT ? Saying.KEPT : Saying.ABSENT;
        require(notices.add(GradientOracle.notice(hook, notice.name(), saying)), "a notice comes twice");
        require(
                scenario.isNoticed(hook, notice.name()),
                "a hook is notified that may get the gradient yet, hook=" + hook);
        hooks.get(hook).noticed(notice.name(), saying);
    }

    @Override
    public void passEnded(int hook) {
        require(!isStopped && isSourceOver, "the pass of a hook ends too early or too late, hook=" + hook);
        require(
                hooks.subList(0, hook).stream().allMatch(SimulatedHook::isThrough),
                "the pass of a hook ends before those in front have completed, hook=" + hook);
        hooks.get(hook).passEnded();
    }

    @Override
    public void noFurtherCalls(int hook) {
        require(
                hooks.get(hook).isThrough() && announced.add(hook),
                "a hook announces its last call twice, or too early");
        if (scenario.hooks().get(hook).kind().hasGroup()) {
            composite(hook).announce(rank);
        }
    }

    void gives(int hook, String name, @Nullable Long value) {
        event(
                () -> "hook " + hook + " gives " + name + " " + value,
                () -> machine.applied(hook, value == null ? null : gradient(name, value)));
    }

    void fails(int hook, Throwable error) {
        event(() -> "hook " + hook + " fails: " + error.getMessage(), () -> {
            machine.fail(error);
            machine.applied(hook, null);
        });
    }

    /** A hook fails the step, though not by the result of a gradient. */
    void failsStep(int hook, Throwable error) {
        event(() -> "hook " + hook + " fails the step: " + error.getMessage(), () -> machine.fail(error));
    }

    void emits(int hook, String name, long value) {
        event(() -> "hook " + hook + " emits " + name, () -> machine.emitted(hook, gradient(name, value)));
    }

    void flowEnds(int hook) {
        event(() -> "hook " + hook + " has no further results", () -> machine.flowEnded(hook));
    }

    void holds() {
        holds++;
        machine.held();
    }

    void releases() {
        holds--;
        machine.released();
    }

    @Override
    public void endViews(@Nullable Throwable error) {
        require(!haveViewsEnded, "views end twice");
        require(composites.stream().allMatch(each -> each.hasEnded(rank)), "views end while calls are in flight");
        require(error == null ? isComplete : isStopped, "views end with another end than the step's");
        haveViewsEnded = true;
    }

    @Override
    public void cancelHooks() {
        require(haveViewsEnded && holds == 0, "results are cancelled that still come");
        hooks.forEach(SimulatedHook::cancel);
    }

    // The end.

    @Override
    public void end(@Nullable Throwable error) {
        require(!hasEnded && haveViewsEnded, "the step ends twice, or before its views");
        require(
                hooks.stream().noneMatch(SimulatedHook::isBusy) && holds == 0,
                "the step ends while its memory is in use");
        require(hooks.stream().noneMatch(SimulatedHook::owes), "the step ends while a hook owes a result");
        require(isCancelled || takingBack == 0, "the step ends while a result is taken back");
        hasEnded = true;
        network.agenda().tell(rank, () -> this + " ends: " + error);
        checkResults();
        boolean isOwnError = isTrouble(TroubleKind.TAKING_BACK_FAILS)
                && results.size() > scenario.trouble().after();
        if (error == null && !isCancelled) {
            require(isComplete && !isToldOfFailure && !isOwnError, "the step succeeds though something has failed");
            require(
                    results.equals(oracle.results(rank)),
                    "results are missing: expected=" + oracle.results(rank) + ", found=" + results);
            require(
                    notices.equals(oracle.notices(rank)),
                    "notices are missing: expected=" + oracle.notices(rank) + ", found=" + notices);
        } else if (!isCancelled) {
            require(isOwnError || mayFail(), "the step fails without a cause: " + error);
            require(!(error instanceof CancellationException), "the step fails as if it were cancelled");
        }
        onEnd.run();
    }

    /** Also of a step that fails. */
    private void checkResults() {
        results.forEach((name, value) -> require(
                value.equals(oracle.results(rank).get(name)),
                "a result is wrong: name=" + name + ", value=" + value + ", expected=" + oracle.results(rank)));
    }

    private boolean mayFail() {
        boolean isTroubled = switch (scenario.trouble().kind()) {
            case NONE, TAKING_BACK_FAILS -> false;
            case SOURCE_FAILS, HOOK_FAILS, OPENING_FAILS, CANCELLED ->
                scenario.trouble().step() == step;
            case LOST -> true;
        };
        return isTroubled || oracle.isMismatch();
    }

    @Override
    public String toString() {
        return "step " + step + " on rank " + rank;
    }
}
