package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.Step;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NoScratchTest {

    private static final Schedule WITH_SCRATCH = new Schedule(
            "test", List.of(new Step.Copy(new Span(Buffer.INPUT, 0, 1), new Span(Buffer.SCRATCH, 0, 1), List.of())), 1);

    @Test
    void call_whoseScratchTheMachineDoesNotHave_fails_andHarmsNoOther() {
        List<Failure> failures = new ArrayList<>();
        Engine engine = new Engine(0, List.of(), EngineLimits.DEFAULT, bytes -> null, warning -> {});
        GroupState group = new GroupState(0, 0, List.of(0), 0);
        engine.register(group);
        try (Tensor tensor = Tensor.allocate(DType.FLOAT32, 1)) {
            AllReduce call = new AllReduce(tensor, tensor, ReduceOp.SUM);
            CallSink sink = new CallSink() {
                @Override
                public void succeeded(Work work) {
                    throw new AssertionError(work);
                }

                @Override
                public void failed(Failure failure) {
                    failures.add(failure);
                }
            };
            Submission.Address address = new Submission.Address.Collectively(new CallKey.Ticket(0, 0, "", 0, 1));
            engine.submit(
                    new Submission(group, address, new Submission.Body.Valid(call, WITH_SCRATCH, 1), 0, 1_000, sink),
                    0);
            engine.flush();
            while (engine.deliverSignal(0)) {
                engine.flush();
            }
        }

        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.kind()).isEqualTo(Failure.Kind.INTERNAL);
            assertThat(failure.text()).contains("got no memory", "algorithm=test", "bytes=64");
        });
        assertThat(engine.liveCalls()).isZero();
        engine.close();
    }
}
