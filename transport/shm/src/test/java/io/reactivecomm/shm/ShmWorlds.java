package io.reactivecomm.shm;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.spi.HostedStore;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;

/** Worlds whose ranks, all in this JVM, know each other only through sockets and shared memory, as the contracts want them. */
interface ShmWorlds extends Worlds {

    /** What Netty's allocators keep for the life of the JVM: a chunk for each thread that ever allocated. */
    long POOLED_BYTES = 256L << 20;

    @Override
    default WorldContract.World open(int size) {
        return open(size, UnaryOperator.identity());
    }

    @Override
    default long slackBytes() {
        return POOLED_BYTES;
    }

    /** {@return a world of ranks that are set up otherwise than by default} */
    static WorldContract.World open(int size, UnaryOperator<CommConfig> setUp) {
        return Ranks.connect(size, setUp);
    }

    /** The ranks of one, and the store at which they met. */
    record Ranks(HostedStore store, List<ProcessGroup> groups) implements WorldContract.World {

        private static final Duration LIMIT = Duration.ofSeconds(30);

        private static Ranks connect(int size, UnaryOperator<CommConfig> setUp) {
            HostedStore store = TestStore.start();
            List<ProcessGroup> groups = Flux.range(0, size)
                    .flatMap(rank -> ReactiveComm.connect(setUp.apply(TestStore.config(store, rank, size))), size)
                    .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                    .block(LIMIT);
            return new Ranks(store, groups);
        }

        @Override
        public void close() {
            groups.forEach(ProcessGroup::close);
            store.close();
        }
    }
}
