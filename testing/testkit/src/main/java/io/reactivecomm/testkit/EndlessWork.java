package io.reactivecomm.testkit;

import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Handle;
import io.reactivecomm.observe.CallPhases;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** A result whose handle never completes. */
public record EndlessWork(Work work) implements Work {

    @Override
    public String operation() {
        return work.operation();
    }

    @Override
    public List<Tensor> tensors() {
        return work.tensors();
    }

    @Override
    public long sequence() {
        return work.sequence();
    }

    @Override
    public long byteSize() {
        return work.byteSize();
    }

    @Override
    public long durationNanos() {
        return work.durationNanos();
    }

    @Override
    public String backend() {
        return work.backend();
    }

    @Override
    public String algorithm() {
        return work.algorithm();
    }

    @Override
    public int peer() {
        return work.peer();
    }

    @Override
    public String name() {
        return work.name();
    }

    @Override
    public int groupSize() {
        return work.groupSize();
    }

    @Override
    public Optional<CallPhases> phases() {
        return work.phases();
    }

    @Override
    public Handle handle() {
        return Mono::never;
    }
}
