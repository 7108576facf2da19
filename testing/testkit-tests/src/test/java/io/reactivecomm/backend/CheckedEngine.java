package io.reactivecomm.backend;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.lang.foreign.Arena;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fake device behind the strict double: what the double finds to be in order, on all members, the device performs. So all collectives, and tensors of
 * either memory, come under the eyes of what refuses any disorder.
 *
 * @param order sees a call without tensors in place of each
 * @param device performs
 */
record CheckedEngine(OrderedEngine order, OrderedEngine device) implements OrderedEngine {

    private static final Tensor NOTHING = Tensor.wrap(Arena.global().allocate(0), DType.FLOAT32, 0);

    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        return device.refusal(group, kind);
    }

    @Override
    public @Nullable DeviceMemory memory() {
        return device.memory();
    }

    @Override
    public boolean enqueues() {
        return device.enqueues();
    }

    @Override
    public void run(List<Turn> batch) {
        order.run(batch.stream().map(this::checked).toList());
    }

    private Turn checked(Turn turn) {
        return switch (turn) {
            case Turn.Call call -> new Turn.Call(emptied(call.call()), new Passing(call));
            case Turn.Opening opening -> opening;
            case Turn.Freeing freeing -> freeing;
        };
    }

    private static EngineCall emptied(EngineCall call) {
        return new EngineCall(
                call.group(),
                call.step(),
                call.name(),
                call.ticket(),
                call.ordinal(),
                call.enclosure(),
                new AllReduce(NOTHING, NOTHING, ReduceOp.SUM),
                call.deadline(),
                call.priority(),
                false,
                call.sharesMemory());
    }

    /** Takes the double's word that a call is in order. */
    private final class Passing implements CollectiveEngine.Sink {

        private final Turn.Call turn;

        private Passing(Turn.Call turn) {
            this.turn = turn;
        }

        @Override
        public void succeeded(Completion completion) {
            device.run(List.of(turn));
        }

        @Override
        public void failed(Failure failure, Handle hands) {
            turn.sink().failed(failure, hands);
        }

        @Override
        public void runFailed(CallKey.Ticket run, Failure failure) {
            throw new IllegalStateException("the strict double fails no runs: " + failure);
        }
    }

    @Override
    public Formation formation() {
        return order.formation();
    }

    @Override
    public void abandonGroup(EngineGroup group, Failure cause) {
        order.abandonGroup(group, cause);
        device.abandonGroup(group, cause);
    }

    @Override
    public void closeGroup(EngineGroup group) {
        order.closeGroup(group);
        device.closeGroup(group);
    }

    @Override
    public void close() {
        order.close();
        device.close();
    }
}
