package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.kernel.FloatScan;
import io.reactivecomm.train.FiniteCheck;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.StepView;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The check of one step for gradients that are not finite: a hook in front of all others, and one behind them.
 *
 * <pre>
 *   gradient ──&gt; inputs ──&gt; the program's hooks ──&gt; results ──&gt; clipping …
 *                  │ scan                              │ scan         FAIL: each passes at once, or fails the step
 *                  └───────── found ──────────────────&gt;│ flag         SKIP: all are held; one flag, all-reduced with MAX, lets them pass or drops them
 * </pre>
 *
 * <p>Inputs are scanned as well, since a reducer may lose a NaN, and a sum does not say which rank had it. With FAIL the flag is the call in which every rank waits for the failure of
 * another one: the members of the check's group may share no other group.
 *
 * <p><b>Threads.</b> Those of hooks.
 */
final class FinitenessCheck {

    private static final String REFUSAL = "a gradient cannot be checked";

    private final FiniteCheck mode;
    private final ProcessGroup group;
    private boolean isFound;
    private final AtomicBoolean isSkipped;

    /** @param isSkipped set when the step's results are dropped */
    FinitenessCheck(FiniteCheck mode, ProcessGroup group, AtomicBoolean isSkipped) {
        this.mode = mode;
        this.group = group;
        this.isSkipped = isSkipped;
    }

    /** {@return the hook in front of all others} */
    StepHook inputs() {
        return new StepHook(
                (gradient, step) -> {
                    scan(
                            gradient,
                            step,
                            "a gradient is not finite",
                            "look at this rank's samples, loss and learning rate");
                    return Mono.just(gradient);
                },
                HookScope.NO_CALLS,
                null);
    }

    /** {@return the hook behind all others} */
    StepHook results() {
        return new StepHook(new Results(), new HookScope(group, HookScope.NO_CALLS.names()), null);
    }

    /** Notes an element that is not finite, or fails. */
    private void scan(Gradient gradient, StepView step, String what, String remedy) {
        HoldingHook.requireReadable(gradient, REFUSAL, "check on the device, before it is handed over");
        if (isFound || !HoldingHook.isFloat(gradient)) {
            return;
        }
        long[] first = {FloatScan.NONE};
        HoldingHook.using(gradient, () -> first[0] = FloatScan.firstNonFinite(gradient.tensor()));
        if (first[0] == FloatScan.NONE) {
            return;
        }
        isFound = true;
        if (mode == FiniteCheck.FAIL) {
            throw new InvalidCallException(what + ": name=" + gradient.name() + ", index=" + first[0] + ", tensor="
                    + gradient.tensor() + ", rank=" + group.globalRank(group.rank()) + ", step=" + step.number() + "; "
                    + remedy + ", or skip such steps with FiniteCheck.SKIP");
        }
    }

    /** The hook behind all others. */
    private final class Results extends HoldingHook {

        @Override
        public String label() {
            return "finite check " + mode;
        }

        @Override
        public Mono<Gradient> apply(Gradient gradient, StepView step) {
            scan(
                    gradient,
                    step,
                    "the result of finite gradients is not finite",
                    "scale the loss down, or reduce in a type of larger range");
            return switch (mode) {
                case FAIL -> Mono.just(gradient);
                case SKIP -> super.apply(gradient, step);
            };
        }

        @Override
        Flux<Gradient> ended(List<Gradient> all, StepView step) {
            Tensor flag = Tensor.of(new byte[] {(byte) (isFound ? 1 : 0)});
            return step.group()
                    .named("finite")
                    .allReduce(flag, ReduceOp.MAX)
                    .map(work -> flag.toByteArray()[0] > 0)
                    .doFinally(end -> flag.close())
                    .flatMapMany(skips -> passed(all, skips));
        }

        private Flux<Gradient> passed(List<Gradient> all, boolean skips) {
            if (skips) {
                isSkipped.set(true);
                discard(all);
                return Flux.empty();
            }
            return Flux.fromIterable(all);
        }
    }
}
