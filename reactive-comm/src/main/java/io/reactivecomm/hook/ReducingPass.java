package io.reactivecomm.hook;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Switched;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The gradients of one step on their way through one operator that reduces them over a group: each gradient once over the same ranks, and all calls
 * of the operator in one composite call.
 *
 * <pre>
 *   backward pass ─&gt; hook A over {0, 1} ─&gt; hook B over {0, 2} ─&gt; buckets C over {0, 1} ─&gt; subscriber
 *                          └────────── «w has been reduced» ───────────┘        C refuses w; B has nothing against it
 *
 *   opened              3                     2                       1         before the backward pass begins
 *   the pass throws     └── fails ── all ─────┴───────── at once ─────┘         whatever is still on its way through A
 * </pre>
 *
 * <p>An operator finds those behind it in its subscriber's context, and they learn of it then. So it does not matter what else lies between them, nor
 * whether gradients are made anew there: they are known by their names. A step that another one runs inside is a step of its own.
 *
 * <p><b>Errors.</b> Gradients that are under way in an operator come back before its error does, and the operator behind would hear of it late. So
 * whatever ends one composite call of a step with an error ends all of them on this rank, and through them the step on every other rank.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ReducingPass {

    /** The operator itself, which hears of the step's end. */
    public interface Watch {

        /**
         * No call is to begin any more: the step has failed, here or elsewhere. {@link #ended} follows, unless the operator cancels. Told perhaps
         * several times, and on any thread.
         */
        void stopped();

        /**
         * The composite call has ended, and no call in it is under way.
         *
         * @param error why the step failed, or null
         */
        void ended(@Nullable Throwable error);

        /** The chain is left, or over, and nobody takes what comes any more: as if the subscriber had cancelled. Idempotent. */
        void abandoned();
    }

    private final Object owner;
    private final ProcessGroup group;
    private final @Nullable ChainRun run;
    private final @Nullable ReducingPass next;
    private final boolean isGuarded;
    /** Where its {@link GradientHooks#run} hears of what breaks the operators behind. */
    private final @Nullable ChainBreak chainBreak;
    /** Those behind it that reduce over the same ranks. */
    private final List<ReducingPass> same = new ArrayList<>();
    /** What operators before it have reduced over its ranks. */
    private final Set<String> reduced = ConcurrentHashMap.newKeySet();

    private final StepMemories memories = new StepMemories();
    /** Those right before it whose gradients have not all come out. */
    private final Set<ReducingPass> before = ConcurrentHashMap.newKeySet();

    /** The owner takes part for the first time. */
    private boolean isOnce = true;

    private volatile boolean hasBegun;
    private volatile boolean isAbandoned;
    private volatile @Nullable Watch watch;
    private volatile @Nullable OpenComposite composite;
    /** Whether reductions were switched off when the step opened: then gradients come back as they are. */
    private volatile boolean isOff;
    /** Why the step has failed here, for those before it that come later. */
    private volatile @Nullable Throwable failure;
    /** What ended the step here before the composite was open. */
    private @Nullable Consumer<OpenComposite> early;

    private ReducingPass(Object owner, ProcessGroup group, ContextView context) {
        this.owner = owner;
        this.group = group;
        this.run = ChainRun.of(context);
        this.next = behind(context);
        this.isGuarded = HookChain.guards(context);
        this.chainBreak = ChainBreak.of(context);
        for (ReducingPass each = next; each != null; each = each.next) {
            if (each.addsUpAgain(group)) {
                same.add(each);
            }
        }
    }

    /**
     * {@return the gradients that come out of an operator, cold}
     *
     * @param owner what is recognised if it comes twice on one way
     * @param operator reduces what {@link #enter enters}
     */
    public static Flux<Gradient> over(
            Object owner, ProcessGroup group, Function<ReducingPass, Flux<Gradient>> operator) {
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(operator, "operator");
        return Flux.deferContextual(context -> {
            ReducingPass pass = of(owner, group, context);
            return new HandedOver(operator.apply(pass).contextWrite(pass::in), pass)
                    .doFinally(end -> pass.leaveChain());
        });
    }

    /** {@return the pass of a step that begins, in its chain} */
    static ReducingPass of(Object owner, ProcessGroup group, ContextView context) {
        ReducingPass pass = new ReducingPass(owner, group, context);
        ChainRun run = pass.run;
        pass.isOnce = run == null || run.joins(owner, pass, HookChain.leaves(context));
        pass.joinChain();
        return pass;
    }

    /** {@return the context of what comes before the operator} */
    Context in(Context behind) {
        return behind.put(ReducingPass.class, this);
    }

    private static @Nullable ReducingPass behind(ContextView context) {
        return context.getOrDefault(ReducingPass.class, null);
    }

    /** {@return the context of a step that is one of its own, wherever it is run} */
    static Context apart(Context context) {
        return HookChain.apart(context.delete(ReducingPass.class));
    }

    /** {@return whether a step has ended in an operator behind, or never began there} */
    static boolean hasEndedBehind(ContextView context) {
        for (ReducingPass each = behind(context); each != null; each = each.next) {
            if (each.hasEnded()) {
                return true;
            }
        }
        return false;
    }

    /** {@return the composite call whose runs are an operator's steps; it takes its place in the group now} */
    public static Flux<Object> composite(ProcessGroup group, String operation) {
        return OpenComposite.call(group, operation);
    }

    /**
     * The step is going to be opened, now or in its turn.
     *
     * @return whether it may be: the chain may have been left while this was subscribed to, and another pass be in its place
     */
    public boolean begins() {
        hasBegun = true;
        return run == null || run.has(owner, this);
    }

    /**
     * Opens the step's run of the operator's composite call, on this thread, once it {@link #begins}. A run that another rank has failed before is not open
     * afterwards, and the operator receives its end. If a group of the program's own throws here, the step fails with that error on all ranks.
     */
    public void open(Flux<Object> call, ContextView context, Watch operator) {
        watch = operator;
        OpenComposite made = new OpenComposite(new Listener(), Context.of(context), switchedNow());
        try {
            made.open(call);
        } finally {
            opened(made);
        }
        if (isAbandoned) {
            operator.abandoned();
        }
    }

    /** Passes on an end that came while the step was being opened, also if the opening has thrown: other ranks wait for it. */
    private void opened(OpenComposite made) {
        Consumer<OpenComposite> end;
        synchronized (this) {
            composite = made;
            end = early;
        }
        if (end != null) {
            end.accept(made);
        }
    }

    /** {@return the view with the switches as they are now} */
    private ProcessGroup switchedNow() {
        try {
            ProcessGroup kept = Switched.kept(group);
            isOff = Switched.isOff(kept, Operation.ALL_REDUCE);
            return isOff ? Switched.off(kept) : Switched.on(kept);
        } catch (Exception | Error e) {
            // The step opens all the same, to fail: other ranks count on it.
            fail(e);
            return group;
        }
    }

    private final class Listener implements OpenComposite.Listener {

        @Override
        public void stopped() {
            stopHereAndBefore();
        }

        @Override
        public void ended(@Nullable Throwable error) {
            watch().ended(error);
            if (error != null) {
                fail(error);
            }
        }
    }

    private Watch watch() {
        Watch operator = watch;
        if (operator == null) {
            throw new IllegalStateException("a step has ended before it began");
        }
        return operator;
    }

    /** Where the step has failed behind by now, this one opens and fails as those did that were there. */
    private void joinChain() {
        if (next != null) {
            next.before.add(this);
            Throwable known = next.failure;
            if (known != null) {
                failHere(known);
            }
        }
    }

    /** One that has ended and waits for what is before it need not any more, whatever lies between. */
    void leaveChain() {
        if (next != null) {
            next.before.remove(this);
            if (next.hasEnded()) {
                next.stopHere();
            }
        }
    }

    private void stopHereAndBefore() {
        stopHere();
        before.forEach(ReducingPass::stopHereAndBefore);
    }

    private void stopHere() {
        Watch operator = watch;
        if (operator != null) {
            operator.stopped();
        }
    }

    /** The chain has ended around it. Where it has ended by itself, that is no news. */
    void abandon() {
        isAbandoned = true;
        Watch operator = watch;
        if (operator != null && isOpen()) {
            operator.abandoned();
        }
    }

    /** {@return whether calls can begin in this step} */
    public boolean isOpen() {
        OpenComposite open = composite;
        return open != null && open.isOpen();
    }

    boolean hasBegun() {
        return hasBegun;
    }

    private boolean hasEnded() {
        OpenComposite open = composite;
        return open != null && !open.isOpen();
    }

    /**
     * {@return what the operator makes its calls through}
     *
     * @throws IllegalStateException if the step has never been open
     */
    public ProcessGroup inside() {
        OpenComposite open = composite;
        if (open == null) {
            throw new IllegalStateException("a step makes calls before it has begun; open it first");
        }
        ProcessGroup inside = open.inside();
        return isOff && inside instanceof Switched view ? view.switched(Set.of(Operation.ALL_REDUCE)) : inside;
    }

    /** {@return whether all-reduces were {@linkplain io.reactivecomm.CommConfig#withOff off} when the step was opened: gradients then come out as they came} */
    public boolean isOff() {
        return isOff;
    }

    /**
     * {@return what the operator subscribes to once it has opened the step}
     * Where the step is not open, that is nothing, unless hooks before this one must learn of it.
     */
    public Flux<Gradient> source(Flux<Gradient> ready) {
        return isOpen() || isGuarded ? new GuardedSource(ready, this::isFirst) : Flux.never();
    }

    /** {@return whether no operator before it on this way is at work} Then nothing is lost if it cancels its source. */
    public boolean isFirst() {
        return before.isEmpty();
    }

    /** The operator has made all its calls: ranks that wait for others hear of it, while these are under way. The step may still fail. */
    void allMade() {
        OpenComposite open = composite;
        if (open != null) {
            open.allMade();
        }
    }

    /** The operator needs no further call. */
    public void complete() {
        end(OpenComposite::complete);
    }

    /** The operator's subscriber has left: who waits for a call that is not made here is told. */
    public void cancel() {
        end(OpenComposite::cancel);
    }

    /**
     * Hands a gradient to the operator behind. What that throws is fatal to the JVM, and no signal gets past it any more: so the step ends on all ranks,
     * and whoever runs it is told past the operators. It is thrown on.
     */
    void handOver(Runnable signal) {
        try {
            signal.run();
        } catch (Exception | Error e) {
            fail(e);
            // Those behind wait for what is under way here, and this end does not get to them.
            leaveChain();
            if (chainBreak != null) {
                chainBreak.tell(e);
            }
            throw e;
        }
    }

    /** Ends the step with an error on all ranks, in all operators on its way. */
    public void fail(Throwable error) {
        for (ReducingPass each = this; each != null; each = each.next) {
            each.failHere(error);
        }
        before.forEach(each -> each.failHereAndBefore(error));
    }

    private void failHereAndBefore(Throwable error) {
        failHere(error);
        before.forEach(each -> each.failHereAndBefore(error));
    }

    private void failHere(Throwable error) {
        if (failure == null) {
            failure = error;
        }
        end(open -> open.fail(error));
        stopHere();
    }

    private void end(Consumer<OpenComposite> how) {
        OpenComposite open;
        synchronized (this) {
            open = composite;
            if (open == null && early == null) {
                early = how;
            }
        }
        if (open != null) {
            how.accept(open);
        }
    }

    /** {@return whether the owner cannot take part: it is behind this on the same way too, or has done so in this step} */
    public boolean comesAgain() {
        return !isOnce || isBehind();
    }

    /** {@return the error of an owner that comes again} */
    public InvalidCallException repetition() {
        return isBehind()
                ? refusal("gradients go through the same buckets twice: ", "take one of the two out")
                : refusal(
                        "gradients were subscribed to twice in one step: ",
                        "repeat and retry whole steps, behind the last hook");
    }

    private boolean isBehind() {
        for (ReducingPass each = next; each != null; each = each.next) {
            if (each.owner == owner) {
                return true;
            }
        }
        return false;
    }

    /**
     * A gradient is about to be reduced.
     *
     * @throws InvalidCallException if it has been reduced over the same ranks
     */
    public void enter(Gradient gradient) {
        if (reduced.contains(gradient.name())) {
            throw refusal(
                    "a gradient has been reduced over the same ranks before: name=" + gradient.name() + ", ",
                    "take one of the two out, or give it a group of other ranks; what compresses goes into the"
                            + " buckets, by BucketOptions.withReducer");
        }
        same.forEach(each -> each.reduced.add(gradient.name()));
    }

    /**
     * Registers the memory of a gradient that is to be reduced, after {@link #enter}.
     *
     * @throws InvalidCallException if it shares memory with another gradient of this step
     */
    public void requireApart(Gradient gradient) {
        if (!isOff()) {
            OpenComposite open = composite;
            memories.add(gradient, worldRank(), () -> open == null ? "" : open.step());
        }
    }

    /**
     * Claims a gradient's memory for the calls of this step, which begin later. Other calls of this rank that need the memory fail. Rows are only read.
     *
     * @return an action that ends the claim
     * @throws InvalidCallException if a call in flight uses that memory
     */
    public Runnable claim(Gradient gradient) {
        OpenComposite open = composite;
        SparseTensor rows = gradient.rows();
        if (open == null) {
            return () -> {};
        }
        return rows == null
                ? open.claim(gradient.name(), List.of(), List.of(gradient.tensor()))
                : open.claim(gradient.name(), List.of(gradient.tensor(), rows.indices()), List.of());
    }

    /**
     * A call by itself, inside a step, has reduced a gradient: operators behind it refuse that one over the same ranks.
     *
     * @param context of the call's subscriber
     */
    public static void reducedByCall(ContextView context, ProcessGroup group, String gradient) {
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(gradient, "gradient");
        for (ReducingPass each = behind(context); each != null; each = each.next) {
            if (each.addsUpAgain(group)) {
                each.reduced.add(gradient);
            }
        }
    }

    /** {@return whether what has been reduced over a group would be a multiple here} Alone nothing is added up, however often. */
    private boolean addsUpAgain(ProcessGroup other) {
        return other.size() > 1 && group.hasMembersOf(other);
    }

    private InvalidCallException refusal(String what, String remedy) {
        return new InvalidCallException(what + "ranks=" + group.ranks() + ", rank=" + worldRank() + "; " + remedy);
    }

    /** {@return this rank's number in the world, for errors} */
    int worldRank() {
        return group.globalRank(group.rank());
    }
}
