package io.reactivecomm.testkit.sim;

import io.reactivecomm.bucket.DrivenStep;
import io.reactivecomm.hook.Gradient;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Takes the results of one step on one rank as slowly as its part says, and checks each when it takes it. */
final class TrainingConsumer {

    private final SimulatedStep of;
    private final DrivenStep step;
    private final Queue<Gradient> results = new ArrayDeque<>();
    private final List<String> taken = new ArrayList<>();
    private long wanted;
    private boolean left;

    TrainingConsumer(SimulatedStep of, DrivenStep step) {
        this.of = of;
        this.step = step;
    }

    void begin() {
        askLater();
        if (of.part().cancelAfter() != TrainingScenario.NEVER) {
            of.rank().after(of.part().cancelAfter(), this::leave);
        }
    }

    private void askLater() {
        of.rank().after(of.rank().network().dice().between(0, of.part().pauseNanos()), this::ask);
    }

    private void ask() {
        if (!left && !(of.isOver() && results.isEmpty())) {
            wanted += of.part().batch();
            step.want(of.part().batch());
            drain();
        }
    }

    private void leave() {
        if (!of.isOver()) {
            left = true;
            of.rank().network().agenda().tell(of.rank().rank().rank(), () -> "cancels " + of);
            step.cancel();
        }
    }

    /** {@return what is there and was not taken} */
    Queue<Gradient> results() {
        return results;
    }

    /** {@return the names of what was taken, in order} */
    List<String> taken() {
        return taken;
    }

    boolean hasLeft() {
        return left;
    }

    /** Takes results as far as they are wanted. */
    void drain() {
        boolean isFirst = taken.size() < wanted;
        while (!left && taken.size() < wanted && !results.isEmpty()) {
            Gradient result = results.remove();
            taken.add(result.name());
            of.rank().judge().result(of, result);
        }
        if (isFirst && taken.size() == wanted) {
            askLater();
        }
    }
}
