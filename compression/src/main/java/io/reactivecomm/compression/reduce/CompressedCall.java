package io.reactivecomm.compression.reduce;

import io.reactivecomm.CompositeCall;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Switched;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.Lasting;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * The composite call of a compressed operation. If the performed operation is switched off ({@link io.reactivecomm.CommConfig#withOff}), the call is counted
 * but does nothing: tensors and states stay as they are. No switch applies to the calls inside.
 *
 * @param performed the operation that it counts as
 * @param label the label that ranks compare
 * @param reads the tensors that it only reads; they are borrowed and claimed from subscription to end, as are those that it writes
 */
record CompressedCall(Operation performed, String label, List<Tensor> reads, List<Tensor> writes) {

    /** The result of a call that did nothing. */
    private static final Compressed NOTHING = new Compressed(0, false, 0);

    /** {@return the call, assembled now; each subscription is a run of the body} */
    Mono<Compressed> in(ProcessGroup group, Function<ProcessGroup, Mono<Compressed>> body) {
        ProcessGroup kept = Switched.kept(group);
        boolean isOff = Switched.isOff(kept, performed);
        CompositeCall call = (isOff ? Switched.off(kept) : Switched.on(kept))
                .composite(label)
                .waitingOnly();
        return isOff
                ? Lasting.composite(call, inside -> Mono.just(NOTHING))
                : Lasting.composite(call.claiming(reads, writes), body);
    }
}
