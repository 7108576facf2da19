package io.reactivecomm.internal.group;

import io.reactivecomm.Choices;
import io.reactivecomm.CommSwitches;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.internal.engine.SwitchFailures;
import io.reactivecomm.internal.switches.WorldSwitches;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * The switches of a world, through its group. A switch is a composite call around a barrier that agrees on the operations and their new state, so no rank passes it if ranks differ, and
 * each gets the verdict of different calls. Its tickets have a name of their own: where ranks switch at different places, the calls between keep their places.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param assembler the one for calls of the world's group in no step
 */
record GroupSwitches(Assembler assembler, CallOptions options) implements CommSwitches {

    private static final String NAME = "rcomm.switches";

    @Override
    public Mono<Void> off(Set<Operation> operations) {
        return change(operations, true);
    }

    @Override
    public Mono<Void> on(Set<Operation> operations) {
        return change(operations, false);
    }

    @Override
    public Set<Operation> switchedOff() {
        EnumSet<Operation> off = EnumSet.noneOf(Operation.class);
        off.addAll(world().now().ofWorld());
        return Collections.unmodifiableSet(off);
    }

    private WorldSwitches world() {
        return assembler.traits().switches();
    }

    private Mono<Void> change(Set<Operation> operations, boolean isOff) {
        Objects.requireNonNull(operations, "a switch got no operations; give a set of them");
        EnumSet<Operation> wanted = EnumSet.noneOf(Operation.class);
        operations.forEach(each ->
                wanted.add(Objects.requireNonNull(each, "a switch got an operation that is null; leave it out")));
        String what = "switch " + (isOff ? "off" : "on") + " [" + SwitchFailures.labels(wanted) + "]";
        return GroupConversation.of(
                        assembler, options.withName(NAME), "switch", talk -> change(talk, what, wanted, isOff))
                .then();
    }

    private Mono<Boolean> change(GroupConversation talk, String what, Set<Operation> wanted, boolean isOff) {
        if (isOff && !Choices.canBeOff(wanted)) {
            return Mono.error(new InvalidCallException(what + " is not possible: " + Choices.ALWAYS_ON_REMEDY));
        }
        if (!world().begins()) {
            return Mono.error(
                    new InvalidCallException(what + " while another switch is in flight; wait for that one first"));
        }
        return talk.next(() -> new Barrier(what))
                .map(work -> {
                    world().change(wanted, isOff);
                    return true;
                })
                .doFinally(end -> world().ends());
    }
}
