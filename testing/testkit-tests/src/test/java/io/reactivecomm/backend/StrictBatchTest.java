package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.testkit.stream.BatchContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Batches over an engine that refuses any disorder. */
class StrictBatchTest {

    @Nested
    @Tag("repeated")
    class Batches extends BatchContract {

        @Override
        public World open(int size) {
            return StrictWorlds.open(size);
        }
    }

    /** The lists of calls that the engine is handed. */
    @Nested
    class Lists extends StrictWorlds {

        private static final int MANY = 8;

        private Mono<List<Work>> batch(ProcessGroup group, boolean isReversed) {
            List<Mono<Work>> calls = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                int tag = isReversed ? MANY - 1 - i : i;
                Tensor tensor = floats(3, tag);
                calls.add(group.rank() == 0 ? group.send(tensor, 1, tag) : group.receive(tensor, 0, tag));
            }
            return group.batch(calls);
        }

        /** It begins in one turn of the loop, from which a barrier's subscriber is told. */
        @Test
        void messagesOfABatch_areHandedOverTogether() {
            Queue<List<EngineCall>> lists = new ConcurrentLinkedQueue<>();
            Disposable watch = StrictEngine.HANDED.asFlux().subscribe(lists::add);
            try (LocalWorld world = world(2)) {
                onAll(world.groups(), group -> group.barrier().flatMap(work -> batch(group, group.rank() == 1)));
            } finally {
                watch.dispose();
            }

            assertThat(lists.stream().filter(list -> list.getFirst().key() instanceof CallKey.Message))
                    .hasSize(2)
                    .allSatisfy(list -> assertThat(list).hasSize(MANY));
        }

        @Test
        void messageOfABatch_thatHasNoOtherEnd_holdsUpNoOther() {
            try (LocalWorld world = world(2)) {
                ProcessGroup first = world.groups().get(0);
                ProcessGroup second = world.groups().get(1);
                Mono<Work> early = begun(second.receive(floats(1, 0), 0, 1));
                Mono<List<Work>> batch =
                        begun(first.batch(List.of(first.send(floats(1, 1), 1, 0), first.send(floats(1, 2), 1, 1))));

                assertThat(early.block(LIMIT)).isNotNull();
                assertThat(begun(second.receive(floats(1, 0), 0, 0)).block(LIMIT))
                        .isNotNull();
                assertThat(batch.block(LIMIT)).hasSize(2);
            }
        }
    }
}
