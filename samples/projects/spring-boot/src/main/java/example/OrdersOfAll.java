package example;

import io.micrometer.core.instrument.MeterRegistry;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import reactor.core.publisher.Mono;

/** The gauge {@code orders.of.all}: the sum of a counter over all instances, as of the last refresh. */
class OrdersOfAll {

    private final ProcessGroup group;
    private volatile double sum;

    OrdersOfAll(ProcessGroup group, MeterRegistry registry) {
        this.group = group;
        registry.gauge("orders.of.all", this, all -> all.sum);
    }

    /** All instances call this equally often, for example every ten seconds. */
    Mono<Void> refresh(double own) {
        return Mono.using(
                () -> Tensor.of(new double[] {own}),
                tensor -> group.allReduce(tensor, ReduceOp.SUM)
                        .doOnNext(done -> sum = tensor.toDoubleArray()[0])
                        .then());
    }
}
