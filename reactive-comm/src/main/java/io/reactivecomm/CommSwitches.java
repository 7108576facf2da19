package io.reactivecomm;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * The switches of a world: operations can be switched off and on again while it runs, to see what they cost. Calls that are off succeed at once, do nothing and
 * send nothing.
 *
 * <pre>{@code
 * CommSwitches switches = CommSwitches.of(world);
 * Mono<Void> measured = switches.off(Operation.ALL_REDUCE)
 *         .thenMany(Flux.range(0, 10).concatMap(step -> train(step)))
 *         .then(switches.on(Operation.ALL_REDUCE));
 * }</pre>
 *
 * <p>A switch holds for the calls of all groups of the world, in every form, also inside composite calls of the program. {@link CommConfig#withOff} lists what
 * counts as which operation, and sets the state at first.
 *
 * <p><b>Agreement.</b> To switch is collective over the world: all ranks ask for the same, the n-th time together. If ranks ask for different operations, each gets a
 * {@link MismatchException} that lists them, and nothing changes. The new state holds on a rank from just before its {@code Mono} completes. On a rank one switch
 * may be in flight at a time; a second one fails on all ranks.
 *
 * <p><b>Which calls.</b> A call keeps the state in which it was assembled, also if it is subscribed to later, or again; so does a composite call for the calls in its body.
 * Gradient buckets and hooks read the state when a step begins. A call that is off takes its ticket, so later calls keep their places.
 *
 * <p><b>Different places.</b> If a call is off on some ranks only, because their programs switched between different calls, it fails with a {@link MismatchException} on
 * each rank that waits for it, at once. The error names the operations that are off on both ranks. Ranks on which the call is off are not disturbed.
 *
 * <p><b>Subscription and cancellation.</b> Cold; each subscription switches. Cancellation detaches the subscriber; the switch still takes place.
 *
 * <p><b>Errors.</b> As those of a barrier. After an error that is no mismatch, such as a lost rank, some ranks may have switched.
 *
 * <p><b>Threads.</b> Any. The end is emitted on the group's loop.
 */
public interface CommSwitches {

    /**
     * {@return the switches of a world}
     *
     * @param world the group that {@code connect()} returned, or one of {@link LocalWorld#groups()}
     * @throws InvalidCallException if it is a group of some ranks, or a view
     */
    static CommSwitches of(ProcessGroup world) {
        Objects.requireNonNull(world, "switches got no group; give the world's");
        if (world instanceof Switched group) {
            return group.switches();
        }
        throw new InvalidCallException("operations can be switched through the world's own group only: group=" + world
                + "; give what connect() returned");
    }

    /**
     * Switches operations off on all ranks; the others stay as they are.
     *
     * @param operations any but {@link Operation#MESSAGE}, {@link Operation#NEW_GROUP} and {@link Operation#COALESCED}: a scope is off if all calls in it are
     */
    Mono<Void> off(Set<Operation> operations);

    /** Switches operations off as {@link #off(Set)}. */
    default Mono<Void> off(Operation first, Operation... others) {
        return off(set(first, others));
    }

    /** Switches operations on again on all ranks, also those that {@code RCOMM_OFF} lists; the others stay as they are. */
    Mono<Void> on(Set<Operation> operations);

    /** Switches operations on as {@link #on(Set)}. */
    default Mono<Void> on(Operation first, Operation... others) {
        return on(set(first, others));
    }

    private static Set<Operation> set(Operation first, Operation... others) {
        Set<Operation> all = new HashSet<>(Arrays.asList(others));
        all.add(first);
        return all;
    }

    /** {@return the operations that are off for calls that are assembled now on this rank} */
    Set<Operation> switchedOff();
}
