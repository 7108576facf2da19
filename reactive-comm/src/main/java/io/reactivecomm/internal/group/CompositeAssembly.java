package io.reactivecomm.internal.group;

import io.reactivecomm.CompositeCall;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A program's composite call, before its body is given.
 *
 * @param views makes what the body of a run calls through
 */
record CompositeAssembly(CompositePlan plan, Function<CompositeRun, ProcessGroup> views) implements CompositeCall {

    @Override
    public CompositeCall borrowing(List<Tensor> tensors) {
        requireTensors(tensors);
        return new CompositeAssembly(plan.borrowing(tensors), views);
    }

    @Override
    public CompositeCall claiming(List<Tensor> reads, List<Tensor> writes) {
        requireTensors(reads);
        requireTensors(writes);
        return new CompositeAssembly(plan.claiming(reads, writes), views);
    }

    private void requireTensors(List<Tensor> tensors) {
        Objects.requireNonNull(
                tensors, () -> plan.operation() + " got no list of tensors to borrow; give one, which may be empty");
        for (int i = 0; i < tensors.size(); i++) {
            int place = i;
            Objects.requireNonNull(
                    tensors.get(i),
                    () -> plan.operation() + " is to borrow a tensor that is none: place=" + place + ", tensors="
                            + tensors.size() + "; leave out what is not to be borrowed");
        }
    }

    @Override
    public CompositeCall waitingOnly() {
        return new CompositeAssembly(plan.waitingOnly(), views);
    }

    @Override
    public <T> Mono<T> mono(Function<? super ProcessGroup, ? extends Mono<T>> body) {
        requireBody(body);
        return plan.mono(run -> body.apply(views.apply(run)), ignored -> {});
    }

    @Override
    public <T> Flux<T> flux(Function<? super ProcessGroup, ? extends Publisher<T>> body) {
        requireBody(body);
        return plan.flux(run -> body.apply(views.apply(run)));
    }

    private void requireBody(Object body) {
        Objects.requireNonNull(body, () -> plan.operation() + " has no body; give a function that makes its calls");
    }
}
