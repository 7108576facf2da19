package io.reactivecomm.simulator;

import io.reactivecomm.internal.train.BucketProgress;
import io.reactivecomm.simulator.GradientScenario.DrawnHook;
import io.reactivecomm.simulator.GradientScenario.HookKind;
import io.reactivecomm.simulator.GradientScenario.Saying;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.stream.IntStream;
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

    /** Two gradients a bucket, in the order of parameters, around the library's own progress of buckets. */
    private static final class Buckets extends SimulatedHook {

        private static final int SIZE = 2;

        private final List<String> names;
        private final BucketProgress progress;
        private final Map<String, Long> values = new HashMap<>();
        /** The results, also of parameters that this rank lacks. */
        private final Map<String, Long> sums = new HashMap<>();

        private int underWay;
        private boolean isFlowOpen;

        private Buckets(GradientRun run, int place, DrawnHook drawn) {
            super(run, place);
            this.names = drawn.names().stream().sorted().toList();
            this.progress = new BucketProgress(
                    IntStream.range(0, (names.size() + SIZE - 1) / SIZE)
                            .mapToObj(this::bucket)
                            .toList(),
                    place % 2 == 1);
        }

        /** {@return the parameters of a bucket} */
        private List<Integer> bucket(int index) {
            return IntStream.range(index * SIZE, Math.min(names.size(), (index + 1) * SIZE))
                    .boxed()
                    .toList();
        }

        @Override
        void takes(String name, long value) {
            values.put(name, value);
            settles(name, BucketProgress.Slot.HERE);
        }

        @Override
        void noticed(String name, Saying saying) {
            if (saying == Saying.KEPT) {
                values.put(name, run.home(place, name));
            }
            settles(name, saying == Saying.KEPT ? BucketProgress.Slot.KEPT : BucketProgress.Slot.ABSENT);
        }

        private void settles(String name, BucketProgress.Slot slot) {
            if (!progress.settle(names.indexOf(name), slot)) {
                throw new Violation("a gradient comes twice, or with its notice: " + name + ", " + this);
            }
            beginWhole();
        }

        @Override
        void flows() {
            progress.passEnded();
            beginWhole();
            run.later(() -> {
                isFlowOpen = true;
                goOut();
            });
        }

        private void beginWhole() {
            while (progress.next() >= 0 && run.composite(place).isOpen(run.rank())) {
                int bucket = progress.next();
                progress.began();
                begin(bucket);
            }
            if (progress.next() < 0 && isPassEnded()) {
                run.composite(place).announce(run.rank());
            }
        }

        private void begin(int index) {
            List<Integer> bucket = bucket(index);
            byte[] presence = progress.presence(index);
            long[] sent = new long[2 * bucket.size()];
            for (int i = 0; i < bucket.size(); i++) {
                sent[2 * i] = values.getOrDefault(names.get(bucket.get(i)), 0L);
                sent[2 * i + 1] = presence[i];
            }
            underWay++;
            run.holds();
            run.composite(place).begin(run.rank(), "bucket " + index, sent, new GradientComposite.CallEnd() {
                @Override
                public void succeeded(long[] reduced) {
                    // Unpacking takes its time, and may outlast the composite call.
                    run.later(() -> unpacked(index, reduced));
                }

                @Override
                public void failed(Throwable error) {
                    lands();
                    run.failsStep(place, error);
                }
            });
        }

        private void unpacked(int index, long[] reduced) {
            List<Integer> bucket = bucket(index);
            byte[] presence = new byte[bucket.size()];
            for (int i = 0; i < presence.length; i++) {
                sums.put(names.get(bucket.get(i)), reduced[2 * i]);
                presence[i] = (byte) Math.min(1, reduced[2 * i + 1]);
            }
            progress.finished(index, presence);
            goOut();
            lands();
        }

        private void lands() {
            underWay--;
            run.releases();
        }

        private void goOut() {
            if (isPassEnded() && !isFlowOpen) {
                return;
            }
            for (int parameter : progress.results()) {
                String name = names.get(parameter);
                long sum = Objects.requireNonNull(sums.get(name));
                if (progress.slot(parameter) == BucketProgress.Slot.HERE) {
                    gives(name, sum);
                } else {
                    emits(name, sum);
                }
            }
            if (isFlowOpen && progress.isOver()) {
                isFlowOpen = false;
                flowEnds();
            }
        }

        @Override
        boolean isBusy() {
            return underWay > 0;
        }
    }
}
