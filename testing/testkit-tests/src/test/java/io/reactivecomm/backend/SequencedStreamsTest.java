package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Streams whose tensors are an ordered engine's messages: what the engine never delivers ends with its group or its composite call. */
class SequencedStreamsTest extends StrictWorlds {

    /** {@return the end of a stream from rank 0 to rank 1, as that rank has it} */
    private static Mono<Long> stream(ProcessGroup group, int... counts) {
        Flux<Tensor> sent = Flux.range(0, counts.length).map(i -> floats(counts[i], i));
        return (group.rank() == 0 ? group.sendAll(sent, 1, 0) : group.receiveAll(0, 0))
                .doOnNext(Tensor::close)
                .count();
    }

    /** {@return the end of the next endless call on both ranks} */
    private static Mono<Long> begun() {
        return begun(StrictEngine.ENDLESS_BEGUN.asFlux().take(2).count());
    }

    @Test
    void tensors_goByTheEnginesMessages() {
        try (LocalWorld world = world(2)) {
            Mono<Long> begun = begun();
            List<Mono<Throwable>> ends = world.groups().stream()
                    .map(group -> begun(error(stream(group, 3, StrictEngine.ENDLESS))))
                    .toList();
            begun.block(LIMIT);
            world.groups().getFirst().abort("enough");
            ends.forEach(end -> assertThat(end.block(LIMIT))
                    .isInstanceOf(GroupClosedException.class)
                    .hasMessageContaining("reason=enough"));
        }
    }

    @Test
    void streamOfARankThatCloses_endsOnTheOther() {
        try (LocalWorld world = world(2)) {
            Mono<Long> begun = begun();
            List<Mono<Throwable>> ends = world.groups().stream()
                    .map(group -> begun(error(stream(group, StrictEngine.ENDLESS))))
                    .toList();
            begun.block(LIMIT);
            world.groups().getFirst().close();
            ends.forEach(end -> assertThat(end.block(LIMIT)).isInstanceOf(CommException.class));
        }
    }

    @Test
    void streamInACompositeCall_goesByTheEngine_andEndsWithTheGroup() {
        try (LocalWorld world = world(2)) {
            Mono<Long> begun = begun();
            List<Mono<Throwable>> ends = world.groups().stream()
                    .map(group -> begun(
                            error(group.composite("whole").mono(inside -> stream(inside, 2, StrictEngine.ENDLESS)))))
                    .toList();
            begun.block(LIMIT);
            world.groups().getLast().abort("enough");
            ends.forEach(end -> assertThat(end.block(LIMIT))
                    .isInstanceOf(GroupClosedException.class)
                    .hasMessageContaining("enough"));
        }
    }

    @Test
    void streamInACompositeCall_isDelivered_amongCallsAndMessages() {
        try (LocalWorld world = world(2)) {
            for (int run = 0; run < 20; run++) {
                assertThat(onAll(
                                world.groups(),
                                group -> group.composite("whole")
                                        .mono(inside -> Mono.zip(
                                                        stream(inside, 1, 5, 2),
                                                        sum(inside, floats(4, 1)),
                                                        sum(inside.named("other"), floats(3, 1)))
                                                .map(all -> all.getT1()))))
                        .containsExactly(3L, 3L);
            }
        }
    }
}
