package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.memory.WorkMemory;
import io.reactivecomm.internal.observe.FlightRecorder;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.Resources;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlightRecorderTest {

    private static final CallKey.Ticket KEY = new CallKey.Ticket(0, 0, "scope", 0, 1);
    private static final int MANY = 2000;

    private final Resources resources = new Resources(EngineLimits.DEFAULT, WorkMemory.COLLECTED);
    private final Ranks ranks = new Ranks(0, List.of(), EngineLimits.DEFAULT);
    private final FlightRecorder recorder = new FlightRecorder();

    /** A scope of calls of one element, two, three, … which a description tells one by one. */
    private static Coalesced scope(int members) {
        List<Collective> all = new ArrayList<>();
        for (int i = 1; i <= members; i++) {
            Tensor tensor = Tensor.allocate(DType.FLOAT32, i);
            all.add(new AllReduce(tensor, tensor, ReduceOp.SUM));
        }
        return new Coalesced(all);
    }

    private Call call(Collective collective) {
        Submission.Body.Valid body = new Submission.Body.Valid(collective, collective.signature(), List.of());
        GroupState group = new GroupState(0, 0, List.of(0), 0);
        Submission submission =
                new Submission(group, new Submission.Address.Collectively(KEY), body, 0, 1, new CallSink() {
                    @Override
                    public void succeeded(Work work) {}

                    @Override
                    public void failed(Failure failure) {}
                });
        return new Call(resources, ranks, call -> {}, 1, submission);
    }

    @Test
    void endedScope_isToldOfCallByCall_alsoWhenItsTensorsAreGone() {
        Coalesced scope = scope(2);
        call(scope).noteIn(recorder, KEY, 0, List.of());
        scope.tensors().forEach(Tensor::close);
        assertThat(recorder.describe(KEY))
                .isEqualTo("coalesced(all-reduce(FLOAT32 × 1, SUM), all-reduce(FLOAT32 × 2, SUM)), which succeeded");
        assertThat(recorder.describe(new CallKey.Ticket(0, 0, "scope", 1, 1))).isEmpty();
    }

    /** Whatever a scope has in it, its end makes no text that nobody may ever ask for. */
    @Test
    void end_ofALargeScope_makesNoDescription() {
        Call call = call(scope(MANY));
        call.noteIn(recorder, KEY, 0, List.of());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        call.noteIn(recorder, KEY, 0, List.of());
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MANY);
    }
}
