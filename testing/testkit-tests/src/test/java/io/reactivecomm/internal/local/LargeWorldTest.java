package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Many ranks in one JVM share its cores. */
class LargeWorldTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int RANKS = 64;
    private static final int COUNT = 1 << 18;

    @Test
    void sixtyFourRanks_finishABarrierAndAMebibyte_onAThreadACore() {
        Set<Thread> before = loops();
        try (LocalWorld world = ReactiveComm.local(RANKS)) {
            assertThat(Flux.fromIterable(world.groups())
                            .flatMap(ProcessGroup::barrier, RANKS)
                            .count()
                            .block(LIMIT))
                    .isEqualTo(RANKS);

            List<Tensor> tensors = new ArrayList<>();
            List<Mono<Work>> calls = new ArrayList<>();
            for (ProcessGroup group : world.groups()) {
                Tensor tensor = Tensor.allocate(DType.FLOAT32, COUNT);
                tensor.segment().set(ValueLayout.JAVA_FLOAT, 4L * (COUNT - 1), group.rank());
                tensors.add(tensor);
                calls.add(group.allReduce(tensor, ReduceOp.SUM));
            }
            assertThat(Flux.merge(Flux.fromIterable(calls), RANKS).count().block(LIMIT))
                    .isEqualTo(RANKS);

            float sum = RANKS * (RANKS - 1) / 2f;
            assertThat(tensors)
                    .allSatisfy(tensor -> assertThat(tensor.segment().get(ValueLayout.JAVA_FLOAT, 4L * (COUNT - 1)))
                            .isEqualTo(sum));
            Set<Thread> own = loops();
            own.removeAll(before);
            assertThat(own).hasSizeLessThanOrEqualTo(Runtime.getRuntime().availableProcessors());
            tensors.forEach(Tensor::close);
        }
    }

    private static Set<Thread> loops() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rcomm-local-"))
                .collect(Collectors.toSet());
    }
}
