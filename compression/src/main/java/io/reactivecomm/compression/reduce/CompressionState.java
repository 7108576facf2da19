package io.reactivecomm.compression.reduce;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.compression.internal.call.CodecThreads;
import io.reactivecomm.compression.internal.call.Lasting;
import io.reactivecomm.compression.internal.state.NamedState;
import io.reactivecomm.compression.internal.state.StateHome;
import io.reactivecomm.compression.internal.state.StateShape;
import io.reactivecomm.compression.internal.state.StepAgreement;
import io.reactivecomm.spi.WarningLog;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;

/**
 * The state of a compressed all-reduce on one rank: for each name the tensors that a step leaves to the next, such as errors that are fed back, what has adapted, and how many
 * steps have gone well.
 *
 * <pre>{@code
 * CompressionSnapshot saved = reduction.state().snapshot();         // between two steps, on every rank
 * ...
 * reduction.state().restore(saved);                                 // each rank its own
 * }</pre>
 *
 * <p><b>Steps.</b> A step that goes well on a rank changes its state, and one that fails does not. So after a failure some ranks may be one step ahead. The next step
 * compares, and those go back by one. Ranks that are further apart, because snapshots of several steps were restored, are an error on all of them.
 *
 * <p><b>Results that are not finite.</b> A step whose result has a NaN or an infinity does not change the state of any rank: errors, adapted numbers, warm-up and number of steps stay.
 * Programs that scale their loss skip such a step and lower the scale. {@link Compressed#isFinite} reports it for each call, {@link #nonFinite} for each name and bucket. A step of
 * gradient buckets is one unit: if one bucket's result is not finite, the states of the other buckets also go back. Names are independent of each other; {@link #undo} takes back
 * the steps of names whose results were finite.
 *
 * <p><b>Snapshots</b> have the latest state alone: take them after a step that has gone well on all ranks. After one that failed, ranks may be a step apart, and what was restored cannot
 * go back.
 *
 * <p><b>What is whose.</b> Errors and adapted thresholds are each rank's own. The number of steps is common. State belongs to a codec, a type and a number of elements: with
 * others it is refused. On another number of ranks, or another place among them, the errors begin as zeros and the number of steps stays, as DeepSpeed has it: errors are cut by
 * ranks, those of ranks that are gone are lost, and what is lost once is little beside what a training run corrects.
 *
 * <p><b>Buffers.</b> For N elements 8·N bytes on a rank, for they are kept twice, and 8·N/P of P ranks; in a device's memory where its kernels encode them. {@link #close} frees them.
 *
 * <p><b>Threads.</b> Any.
 */
public final class CompressionState implements AutoCloseable {

    private static final Logger LOG = WarningLog.of(CompressionState.class);

    private final boolean keepsTensors;
    private final double[] atFirst;
    /** Those of names whose steps have gone well. */
    private final Map<String, NamedState> states = new HashMap<>();
    /** Restored, and no step has gone well since. */
    private final Map<String, CompressionSnapshot.Saved> restored = new HashMap<>();
    /** Those of steps that go on. One that is not among the states is put there when its step has gone well, and forgotten otherwise. */
    private final Map<String, NamedState> taken = new HashMap<>();
    /** The names whose last step without an error had a result that is not finite. */
    private final Set<String> nonFinite = new TreeSet<>();
    /** The names whose last step without an error was one that has no state, since it was not compressed. */
    private final Set<String> stateless = new HashSet<>();

    private boolean closed;

    /**
     * State that is empty.
     *
     * @param keepsTensors whether a step leaves its tensors to the next, which finds zeros otherwise
     * @param atFirst the adapted numbers of a first step
     */
    CompressionState(boolean keepsTensors, double[] atFirst) {
        this.keepsTensors = keepsTensors;
        this.atFirst = atFirst;
    }

    /**
     * {@return one step of a name: the ranks agree which, and the state is taken for it and given back when it has ended, however it ends}
     *
     * @param home where the step's elements are
     * @param work calls {@link NamedState#ended} last, if it does not fail
     */
    <T> Mono<T> step(
            ProcessGroup group, String name, StateShape shape, StateHome home, Function<NamedState, Mono<T>> work) {
        return CodecThreads.guarded(() -> {
            NamedState taken = take(name, shape, home);
            // It is given back before anybody hears of the end: who does may begin the next step.
            boolean isBeforeTheEnd = true;
            return Mono.using(
                    () -> taken,
                    named -> Lasting.whileItGoesOn(named.filled())
                            .then(StepAgreement.on(name, named, group))
                            .then(CodecThreads.guarded(() -> work.apply(named))),
                    named -> giveBack(name, named),
                    isBeforeTheEnd);
        });
    }

    /**
     * {@return the state of a name, for one step}
     *
     * @throws InvalidCallException if another step of the name goes on, the state is that of other elements, or all is closed
     */
    synchronized NamedState take(String name, StateShape shape, StateHome home) {
        requireOpen();
        if (taken.containsKey(name)) {
            throw new InvalidCallException("the state of a compressed all-reduce is taken: name=" + name
                    + "; one step at a time for each name, or another name");
        }
        NamedState known = states.get(name);
        if (known != null
                && known.shape().equals(shape)
                && known.home().device().equals(home.device())) {
            taken.put(name, known);
        } else {
            begin(name, known, shape, home);
        }
        return Objects.requireNonNull(taken.get(name));
    }

    private void begin(String name, @Nullable NamedState known, StateShape shape, StateHome home) {
        CompressionSnapshot.Saved saved = restored.get(name);
        if (known != null && known.shape().equals(shape)) {
            taken.put(name, known.copiedTo(home));
        } else if (known != null) {
            move(name, known, shape, home);
        } else if (saved != null) {
            restore(name, saved, shape, home);
        } else {
            taken.put(name, new NamedState(shape, home, keepsTensors, 0, atFirst));
        }
    }

    private void move(String name, NamedState known, StateShape shape, StateHome home) {
        requireSameElements(name, known.shape(), shape);
        warnOfOtherRanks(name, known.shape(), shape);
        taken.put(name, known.movedTo(shape, home));
    }

    private void restore(String name, CompressionSnapshot.Saved saved, StateShape shape, StateHome home) {
        requireSameElements(name, saved.shape(), shape);
        boolean isOfTheseRanks = saved.shape().equals(shape);
        NamedState state = new NamedState(shape, home, keepsTensors, saved.step(), saved.adapted());
        try {
            if (isOfTheseRanks) {
                state.latest().write(saved.kept(), home);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            state.close();
            throw e;
        }
        taken.put(name, state);
        if (!isOfTheseRanks) {
            warnOfOtherRanks(name, saved.shape(), shape);
        }
    }

    /** A step of a name that has no state has succeeded. */
    synchronized void endedWithoutState(String name, boolean isFinite) {
        stateless.add(name);
        if (isFinite) {
            nonFinite.remove(name);
        } else {
            nonFinite.add(name);
        }
    }

    /** A step has ended. */
    synchronized void giveBack(String name, NamedState state) {
        taken.remove(name);
        if (!state.isFinite()) {
            nonFinite.add(name);
            stateless.remove(name);
        } else if (state.hasGoneWell()) {
            nonFinite.remove(name);
            stateless.remove(name);
        }
        NamedState known = states.get(name);
        if (known != state && state.hasGoneWell()) {
            states.put(name, state);
            restored.remove(name);
            close(known);
        } else if (known != state) {
            state.close();
        }
        if (closed) {
            close(states.get(name));
        }
    }

    private static void close(@Nullable NamedState state) {
        if (state != null) {
            state.close();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new InvalidCallException("this compressed all-reduce is closed; close it after the last step");
        }
    }

    private void requireNoStep() {
        if (!taken.isEmpty()) {
            throw new InvalidCallException(
                    "steps of a compressed all-reduce go on: names=" + taken.keySet() + "; wait for their ends");
        }
    }

    private static void warnOfOtherRanks(String name, StateShape were, StateShape now) {
        LOG.warn(
                "errors of a compressed all-reduce begin as zeros, since the ranks are others: name={}, were=[{}], now=[{}]",
                name,
                were,
                now);
    }

    private static void requireSameElements(String name, StateShape were, StateShape now) {
        if (!were.isOfSameElements(now)) {
            throw new InvalidCallException("the state of a compressed all-reduce is that of other elements: name="
                    + name + ", state=[" + were + "], call=[" + now + "]; reset(\"" + name
                    + "\") on all ranks, or give other elements another name");
        }
    }

    /**
     * {@return a copy of all states} For states on a device it waits for that: not on a loop.
     *
     * @throws InvalidCallException if a step goes on, or all is closed
     */
    public synchronized CompressionSnapshot snapshot() {
        requireOpen();
        requireNoStep();
        Map<String, CompressionSnapshot.Saved> saved = new LinkedHashMap<>(restored);
        states.forEach((name, state) -> saved.put(name, CompressionSnapshot.Saved.of(state)));
        return new CompressionSnapshot(saved);
    }

    /**
     * Puts a snapshot in place of all states.
     *
     * @throws InvalidCallException if a step goes on, or all is closed
     */
    public synchronized void restore(CompressionSnapshot snapshot) {
        Objects.requireNonNull(snapshot, "there is no snapshot to restore; give one, or reset");
        requireOpen();
        reset();
        restored.putAll(snapshot.states());
    }

    /**
     * Forgets all states: each name begins anew, with its first step and without errors. On all ranks, or the next step is an error.
     *
     * @throws InvalidCallException if a step goes on
     */
    public synchronized void reset() {
        requireNoStep();
        states.values().forEach(NamedState::close);
        states.clear();
        restored.clear();
        nonFinite.clear();
        stateless.clear();
    }

    /**
     * Forgets the state of one name, if there is any. On all ranks, or its next step is an error.
     *
     * @throws InvalidCallException if a step of it goes on
     */
    public synchronized void reset(String name) {
        Objects.requireNonNull(name, "name");
        if (taken.containsKey(name)) {
            throw new InvalidCallException(
                    "a step of a compressed all-reduce goes on: name=" + name + "; wait for its end");
        }
        restored.remove(name);
        nonFinite.remove(name);
        stateless.remove(name);
        close(states.remove(name));
    }

    /**
     * {@return the names whose last step had a result with a NaN or an infinity, and so did not change their states} All ranks have the same names once a step has succeeded on all ranks.
     * Buckets are named {@code bucket 0}, {@code bucket 1} and so on.
     */
    public synchronized List<String> nonFinite() {
        return List.copyOf(nonFinite);
    }

    /**
     * Takes back the last step of a name. It is for trainings whose steps have several names, when the result of another name is not finite. Call it on all ranks. If this name's own
     * result was not finite, or its last step was not compressed and so changed no state, nothing changes.
     *
     * @throws InvalidCallException if a step of the name is in progress, or there is no step to take back. Only the last step of a name can be taken back
     */
    public synchronized void undo(String name) {
        Objects.requireNonNull(name, "name");
        requireOpen();
        NamedState state = states.get(name);
        if (nonFinite.contains(name) || stateless.contains(name) && !taken.containsKey(name)) {
            return;
        }
        if (taken.containsKey(name) || state == null || !state.hasBefore()) {
            throw new InvalidCallException(
                    "no step can be taken back: name=" + name + ", goesOn=" + taken.containsKey(name) + ", steps="
                            + step(name) + "; take back the last step of a name once, after its end");
        }
        state.stepBack();
    }

    /** {@return the name of a bucket's state} */
    static String ofBucket(int index) {
        return "bucket " + index;
    }

    /** A step of buckets has succeeded on this rank. If one result is not finite, the program skips all buckets, so all states go back. */
    synchronized void endStep(List<Integer> buckets) {
        Objects.requireNonNull(buckets, "buckets");
        List<String> names = buckets.stream().map(CompressionState::ofBucket).toList();
        if (!closed && names.stream().anyMatch(nonFinite::contains)) {
            names.stream()
                    .filter(name -> !nonFinite.contains(name) && states.containsKey(name))
                    .forEach(this::undo);
        }
    }

    /** {@return the names that have a state} */
    public synchronized List<String> names() {
        return Stream.concat(states.keySet().stream(), restored.keySet().stream())
                .distinct()
                .sorted()
                .toList();
    }

    /** {@return how many steps of a name have gone well on this rank} */
    public synchronized long step(String name) {
        Objects.requireNonNull(name, "name");
        NamedState state = states.get(name);
        CompressionSnapshot.Saved saved = restored.get(name);
        return state != null ? state.latest().step() : saved != null ? saved.step() : 0;
    }

    /** Frees the memory, that of a step that goes on when it has ended. Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        states.forEach((name, state) -> {
            if (!taken.containsKey(name)) {
                state.close();
            }
        });
    }
}
