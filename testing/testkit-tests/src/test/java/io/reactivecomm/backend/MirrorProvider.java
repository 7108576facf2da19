package io.reactivecomm.backend;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.EngineProvider;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A user's own engine: it does all-reduces of FLOAT32, by messages of the control group, and nothing else. */
public final class MirrorProvider implements EngineProvider {

    /** What engines of this JVM were told of, by name. */
    static final List<String> EVENTS = new CopyOnWriteArrayList<>();

    @Override
    public String name() {
        return "mirror";
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        ProcessGroup control = context.control();
        return control.barrier().map(work -> new Mirror(control));
    }

    private record Mirror(ProcessGroup control) implements CollectiveEngine {

        @Override
        public @Nullable String refusal(EngineGroup group, CallKind kind) {
            boolean isSum = kind.operation() == Operation.ALL_REDUCE
                    && kind.type() == DType.FLOAT32
                    && kind.reduction() == ReduceOp.SUM;
            return isSum ? null : "only sums of FLOAT32";
        }

        @Override
        public void submit(EngineCall call, Sink sink) {
            AllReduce asked = (AllReduce) call.collective();
            Tensor input = asked.inputs().getFirst();
            if (input.count() == 14) {
                throw new UnsatisfiedLinkError("fourteen");
            }
            if (input.count() == 13) {
                throw new IllegalStateException("thirteen");
            }
            exchange(call, input)
                    .subscribe(
                            others -> {
                                add(input, asked.outputs().getFirst(), others);
                                sink.succeeded(Completion.of("mirrored"));
                            },
                            error -> sink.failed(new Failure(
                                    Failure.Kind.INTERNAL, control.rank(), String.valueOf(error.getMessage()))));
        }

        /** {@return the inputs of the other members, which every member sends to every other} */
        private Mono<List<Tensor>> exchange(EngineCall call, Tensor input) {
            ProcessGroup messages =
                    control.named(call.group().id() + call.key().label()).timeout(call.deadline());
            List<Mono<Work>> all = new ArrayList<>();
            List<Tensor> others = new ArrayList<>();
            for (int member : call.group().worldRanks()) {
                if (member != control.rank()) {
                    Tensor other = Tensor.allocate(DType.FLOAT32, input.count());
                    others.add(other);
                    all.add(messages.send(input, member, 0));
                    all.add(messages.receive(other, member, 0));
                }
            }
            return messages.batch(all).thenReturn(others);
        }

        private static void add(Tensor input, Tensor output, List<Tensor> others) {
            for (long i = 0; i < output.count(); i++) {
                float sum = input.segment().getAtIndex(ValueLayout.JAVA_FLOAT, i);
                for (Tensor other : others) {
                    sum += other.segment().getAtIndex(ValueLayout.JAVA_FLOAT, i);
                }
                output.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, sum);
            }
            others.forEach(Tensor::close);
        }

        @Override
        public void refused(EngineGroup group, CallKey key, Failure cause) {
            EVENTS.add("refused " + key.label() + " on " + control.rank());
        }

        @Override
        public void fail(EngineGroup group, CallKey key, Failure cause) {
            EVENTS.add("told of " + key.label() + " on " + control.rank());
        }

        @Override
        public void compositeOver(EngineGroup group, CallKey.Ticket run, Function<String, Failure> cause) {
            EVENTS.add("over " + run.label() + " on " + control.rank());
        }

        @Override
        public void stepped(EngineGroup group) {
            EVENTS.add("stepped on " + control.rank());
        }

        @Override
        public void compositeFailed(EngineGroup group, CallKey.Ticket run, Failure cause) {
            EVENTS.add("failed " + run.label() + " on " + control.rank());
        }

        @Override
        public void failGroup(EngineGroup group, Failure cause) {
            EVENTS.add("failed group of " + group.worldRanks() + " on " + control.rank());
        }

        @Override
        public void closeGroup(EngineGroup group) {
            EVENTS.add("closed group of " + group.worldRanks() + " on " + control.rank());
        }

        @Override
        public void close() {
            EVENTS.add("closed on " + control.rank());
        }
    }
}
