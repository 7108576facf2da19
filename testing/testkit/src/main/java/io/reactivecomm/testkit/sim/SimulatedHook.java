package io.reactivecomm.testkit.sim;

import io.reactivecomm.testkit.sim.GradientScenario.DrawnHook;
import io.reactivecomm.testkit.sim.GradientScenario.HookKind;
import io.reactivecomm.testkit.sim.GradientScenario.Saying;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One rank's hook in one step: it takes gradients when the machine says so, and owes results until it has given them or is cancelled. */
abstract sealed class SimulatedHook {

    final GradientRun run;
    final int place;
    /** The gradients for which it owes a result, or none. */
    private final Set<String> owed = new HashSet<>();

    private boolean isFlowing;
    private boolean isPassEnded;
    private boolean isCancelled;

    private SimulatedHook(GradientRun run, int place) {
        this.run = run;
        this.place = place;
    }

    static SimulatedHook of(GradientRun run, int place, DrawnHook drawn) {
        return switch (drawn.kind()) {
            case BUCKETS -> new Buckets(run, place, drawn);
            case EACH, EACH_UNANNOUNCED -> new Each(run, place, drawn.kind());
            case PASSING -> new Passing(run, place);
            case KEEPING -> new Keeping(run, place);
        };
    }

    void apply(String name, long value) {
        if (isPassEnded || !owed.add(name)) {
            throw new Violation(
                    "a gradient comes to a hook again, or after the end of its pass: " + name + ", " + this);
        }
        takes(name, value);
    }

    void passEnded() {
        if (isPassEnded) {
            throw new Violation("the pass of a hook ends twice: " + this);
        }
        isPassEnded = true;
        isFlowing = true;
        flows();
    }

    /** {@return whether it has completed} */
    boolean isThrough() {
        return isPassEnded && !isFlowing && owed.isEmpty();
    }

    boolean owes() {
        return isFlowing || !owed.isEmpty();
    }

    void cancel() {
        isCancelled = true;
        isFlowing = false;
        owed.clear();
    }

    boolean isPassEnded() {
        return isPassEnded;
    }

    /** {@return whether it uses memory of the step} */
    boolean isBusy() {
        return false;
    }

    abstract void takes(String name, long value);

    abstract void flows();

    void noticed(String name, Saying saying) {
        // Most need not know.
    }

    /** Gives the result of a gradient. One that was cancelled comes all the same: it may have been under way. */
    final void gives(String name, @Nullable Long value) {
        owed.remove(name);
        run.gives(place, name, value);
    }

    final void fails(String name, Throwable error) {
        owed.remove(name);
        if (!isCancelled) {
            run.fails(place, error);
        }
    }

    final void emits(String name, long value) {
        if (!isCancelled) {
            run.emits(place, name, value);
        }
    }

    final void flowEnds() {
        if (!isCancelled) {
            isFlowing = false;
            run.flowEnds(place);
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " " + place + " of " + run;
    }

    private static final class Passing extends SimulatedHook {

        private Passing(GradientRun run, int place) {
            super(run, place);
        }

        @Override
        void takes(String name, long value) {
            run.later(() -> gives(name, value));
        }

        @Override
        void flows() {
            run.later(this::flowEnds);
        }
    }

    private static final class Keeping extends SimulatedHook {

        private final Queue<Runnable> kept = new ArrayDeque<>();

        private Keeping(GradientRun run, int place) {
            super(run, place);
        }

        @Override
        void takes(String name, long value) {
            kept.add(() -> emits(name, value));
            run.later(() -> gives(name, null));
        }

        @Override
        void flows() {
            run.later(this::next);
        }

        private void next() {
            Runnable emission = kept.poll();
            if (emission == null) {
                flowEnds();
            } else {
                emission.run();
                run.later(this::next);
            }
        }
    }

    private static final class Each extends SimulatedHook {

        private final HookKind kind;

        private Each(GradientRun run, int place, HookKind kind) {
            super(run, place);
            this.kind = kind;
        }

        @Override
        void takes(String name, long value) {
            run.composite(place).begin(run.rank(), name, new long[] {value}, new GradientComposite.CallEnd() {
                @Override
                public void succeeded(long[] values) {
                    gives(name, values[0]);
                }

                @Override
                public void failed(Throwable error) {
                    fails(name, error);
                }
            });
            if (kind == HookKind.EACH_UNANNOUNCED && run.hasDeadlines()) {
                run.atDeadline(() -> run.composite(place).expire(name));
            }
        }

        @Override
        void flows() {
            if (kind == HookKind.EACH) {
                run.composite(place).announce(run.rank());
            }
            run.later(this::flowEnds);
        }
    }

    /** Two gradients a bucket, in the order of parameters, as the library's buckets treat them: begun in order, each when it is whole. */
    private static final class Buckets extends SimulatedHook {

        private static final int SLOTS = 2;

        private enum Slot {
            AWAITED,
            HERE,
            ABSENT
        }

        private final List<String> names;
        private final Map<String, Slot> slots = new HashMap<>();
        private final Map<String, Long> values = new HashMap<>();
        private final Queue<Runnable> further = new ArrayDeque<>();
        private int begun;
        private int underWay;
        private boolean isFlowOpen;

        private Buckets(GradientRun run, int place, DrawnHook drawn) {
            super(run, place);
            this.names = drawn.names().stream().sorted().toList();
            names.forEach(name -> slots.put(name, Slot.AWAITED));
        }

        @Override
        void takes(String name, long value) {
            if (slots.put(name, Slot.HERE) != Slot.AWAITED) {
                throw new Violation("a gradient comes that does not: " + name + ", " + this);
            }
            values.put(name, value);
            beginWhole();
        }

        @Override
        void noticed(String name, Saying saying) {
            if (slots.put(name, Slot.ABSENT) != Slot.AWAITED) {
                throw new Violation("a notice of a gradient that has come: " + name + ", " + this);
            }
            if (saying == Saying.KEPT) {
                values.put(name, run.home(place, name));
            }
            beginWhole();
        }

        @Override
        void flows() {
            isFlowOpen = true;
            beginWhole();
            run.later(this::endIfDone);
        }

        private List<String> bucket(int index) {
            return names.subList(index * SLOTS, Math.min(names.size(), (index + 1) * SLOTS));
        }

        private int buckets() {
            return (names.size() + SLOTS - 1) / SLOTS;
        }

        private void beginWhole() {
            while (begun < buckets() && run.composite(place).isOpen(run.rank()) && isWhole(bucket(begun))) {
                begin(begun++);
            }
            if (begun == buckets() && isPassEnded()) {
                run.composite(place).announce(run.rank());
            }
        }

        private boolean isWhole(List<String> bucket) {
            return isPassEnded() || bucket.stream().noneMatch(name -> slots.get(name) == Slot.AWAITED);
        }

        private void begin(int index) {
            List<String> bucket = bucket(index);
            long[] sent = new long[2 * bucket.size()];
            for (int i = 0; i < bucket.size(); i++) {
                sent[2 * i] = values.getOrDefault(bucket.get(i), 0L);
                sent[2 * i + 1] = slots.get(bucket.get(i)) == Slot.HERE ? 1 : 0;
            }
            underWay++;
            run.holds();
            run.composite(place).begin(run.rank(), "bucket " + index, sent, new GradientComposite.CallEnd() {
                @Override
                public void succeeded(long[] sums) {
                    // Unpacking takes its time, and may outlast the composite call.
                    run.later(() -> unpacked(bucket, sums));
                }

                @Override
                public void failed(Throwable error) {
                    lands();
                    run.failsStep(place, error);
                }
            });
        }

        private void unpacked(List<String> bucket, long[] sums) {
            for (int i = 0; i < bucket.size(); i++) {
                String name = bucket.get(i);
                long sum = sums[2 * i];
                if (slots.get(name) == Slot.HERE) {
                    gives(name, sum);
                } else if (sums[2 * i + 1] > 0) {
                    further.add(() -> emits(name, sum));
                }
            }
            lands();
            endIfDone();
        }

        private void lands() {
            underWay--;
            run.releases();
        }

        private void endIfDone() {
            if (isFlowOpen) {
                while (!further.isEmpty()) {
                    further.remove().run();
                }
                if (begun == buckets() && underWay == 0) {
                    isFlowOpen = false;
                    flowEnds();
                }
            }
        }

        @Override
        boolean isBusy() {
            return underWay > 0;
        }
    }
}
