package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.Operation;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** A subscriber that throws what Reactor throws on harms nobody else, also where no engine performs the call. */
class LoudSubscriberTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void throwing_onACallThatIsOff_leavesTheWorldAsItIs() {
        CommConfig settings =
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withOff(EnumSet.of(Operation.BROADCAST));
        try (LocalWorld world = ReactiveComm.local(2, settings);
                Tensor tensor = Tensor.allocate(DType.INT8, 1)) {
            world.groups().getLast().broadcast(tensor, 0).block(LIMIT);
            world.groups().getFirst().broadcast(tensor, 0).subscribe(new BaseSubscriber<>() {
                @Override
                protected void hookOnNext(Work work) {
                    throw Exceptions.bubble(new IllegalStateException("for the test"));
                }
            });
            List<Work> works = Flux.fromIterable(world.groups())
                    .flatMap(group -> group.barrier())
                    .collectList()
                    .block(LIMIT);
            assertThat(works).hasSize(2);
        }
    }
}
