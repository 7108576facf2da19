package io.reactivecomm.internal.group;

import io.reactivecomm.Tensor;
import io.reactivecomm.internal.stream.HeldFlux;
import io.reactivecomm.internal.stream.ResultMono;
import io.reactivecomm.internal.switches.Switches;
import io.reactivecomm.spi.CallKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The plan of a composite call: it takes its ticket when it gets its body, and each subscription is a run.
 *
 * @param assembler where it is counted
 * @param operation what ranks compare
 * @param uses the tensors that it borrows and claims from subscription to end
 * @param hasDeadline whether user code counts against the deadline, too
 */
record CompositePlan(Assembler assembler, CallOptions options, String operation, Uses uses, boolean hasDeadline) {

    /** The tensors that are only borrowed, and those that are also claimed. */
    record Uses(List<Tensor> borrows, List<Tensor> reads, List<Tensor> writes) {

        private static final Uses NONE = new Uses(List.of(), List.of(), List.of());

        Uses {
            borrows = List.copyOf(borrows);
            reads = List.copyOf(reads);
            writes = List.copyOf(writes);
        }

        List<Tensor> all() {
            List<Tensor> all = new ArrayList<>(borrows);
            all.addAll(reads);
            all.addAll(writes);
            return all;
        }
    }

    CompositePlan(Assembler assembler, CallOptions options, String operation) {
        this(assembler, options, operation, Uses.NONE, true);
    }

    CompositePlan borrowing(List<Tensor> tensors) {
        return using(new Uses(tensors, uses.reads, uses.writes));
    }

    CompositePlan claiming(List<Tensor> reads, List<Tensor> writes) {
        return using(new Uses(uses.borrows, reads, writes));
    }

    private CompositePlan using(Uses other) {
        return new CompositePlan(assembler, options, operation, other, hasDeadline);
    }

    CompositePlan waitingOnly() {
        return new CompositePlan(assembler, options, operation, uses, false);
    }

    /** @param discard frees a result that nobody takes */
    <T> Mono<T> mono(Function<CompositeRun, ? extends Mono<T>> body, Consumer<? super T> discard) {
        String site = assembler.site(options);
        CompositePlan assembled = assembled();
        Supplier<CallKey.Ticket> keys = assembled.keys();
        return new ResultMono<>(assembler.driver().answers(), discard, result -> {
            MonoRun<T> run = new MonoRun<>(assembled, keys.get(), site, result, discard);
            run.begin(body);
        });
    }

    <T> Flux<T> flux(Function<CompositeRun, ? extends Publisher<T>> body) {
        String site = assembler.site(options);
        CompositePlan assembled = assembled();
        Supplier<CallKey.Ticket> keys = assembled.keys();
        return new HeldFlux<>(assembler.driver().answers(), result -> {
            FluxRun<T> run = new FluxRun<>(assembled, keys.get(), site, result);
            run.begin(body);
        });
    }

    /** {@return the plan with the switches as they are now} */
    private CompositePlan assembled() {
        return new CompositePlan(
                assembler, options.withSwitches(assembler.switches(options)), operation, uses, hasDeadline);
    }

    /** {@return the switches when it was assembled} */
    Switches switches() {
        return assembler.switches(options);
    }

    /** {@return what gives the next subscription's run its identity; the ticket is taken now} */
    private Supplier<CallKey.Ticket> keys() {
        long ticket = assembler.take(options.name());
        if (switches().isWhole()) {
            assembler.isOff(options, ticket, switches());
        }
        AtomicInteger ordinals = new AtomicInteger();
        return () -> assembler.key(options, ticket, ordinals.incrementAndGet());
    }
}
