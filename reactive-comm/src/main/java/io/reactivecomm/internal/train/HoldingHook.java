package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.kernel.FloatScan;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.StepView;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A hook for one step that holds all gradients, by reference, until its pass ends. If the step fails before that, they are discarded.
 *
 * <p><b>Threads.</b> Those of hooks. The step's end waits for {@link #ended}.
 */
abstract class HoldingHook implements GradientHook {

    private List<Gradient> held = new ArrayList<>();

    /** {@return what comes of all gradients, cold} They are its own: it emits or discards each. */
    abstract Flux<Gradient> ended(List<Gradient> all, StepView step);

    @Override
    public void begins(StepView step) {
        step.ended().subscribe(nothing -> {}, error -> discard(taken()));
    }

    @Override
    public Mono<Gradient> apply(Gradient gradient, StepView step) {
        held.add(gradient);
        return Mono.empty();
    }

    @Override
    public final Flux<Gradient> passEnded(StepView step) {
        List<Gradient> all = taken();
        Runnable hold = step.hold();
        return ended(all, step).doOnError(error -> discard(all)).doFinally(end -> hold.run());
    }

    private List<Gradient> taken() {
        List<Gradient> all = held;
        held = new ArrayList<>();
        return all;
    }

    static void discard(List<Gradient> gradients) {
        gradients.forEach(StepDriver::closeRows);
    }

    /** Runs code that reads or writes a gradient's elements, which the program may close meanwhile. */
    static void using(Gradient gradient, Runnable code) {
        if (!gradient.tensor().borrow()) {
            throw new InvalidCallException("a gradient is closed: name=" + gradient.name() + ", tensor="
                    + gradient.tensor() + "; keep it open until it comes back");
        }
        try {
            code.run();
        } finally {
            gradient.tensor().giveBack();
        }
    }

    /** Checks that the host reads a gradient's elements. @param what cannot be done otherwise */
    static void requireReadable(Gradient gradient, String what, String remedy) {
        Tensor tensor = gradient.tensor();
        if (!tensor.device().equals(Device.CPU)) {
            throw new InvalidCallException(
                    what + ": name=" + gradient.name() + ", tensor=" + tensor + ", why=it is on a device; " + remedy);
        }
    }

    /** {@return whether its elements can be a NaN} */
    static boolean isFloat(Gradient gradient) {
        return FloatScan.reads(gradient.tensor().type());
    }
}
