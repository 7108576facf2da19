package io.reactivecomm.netty.contract;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.spi.HostedStore;
import io.reactivecomm.spi.StoreHost;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;

/** Worlds whose ranks, all in this JVM, know each other only through TCP, as the contracts want them. */
interface TcpWorlds extends Worlds {

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
        private static final String TOKEN = "contract";

        private static Ranks connect(int size, UnaryOperator<CommConfig> setUp) {
            HostedStore store = ServiceLoader.load(StoreHost.class)
                    .findFirst()
                    .orElseThrow()
                    .start("127.0.0.1", 0, TOKEN)
                    .block(LIMIT);
            List<ProcessGroup> groups = Flux.range(0, size)
                    .flatMap(rank -> ReactiveComm.connect(setUp.apply(config(rank, size, store.port()))), size)
                    .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                    .block(LIMIT);
            return new Ranks(store, groups);
        }

        private static CommConfig config(int rank, int size, int port) {
            return CommConfig.of(rank, size, "127.0.0.1", port)
                    .withStoreHosted(true)
                    .withToken(TOKEN);
        }

        @Override
        public void close() {
            groups.forEach(ProcessGroup::close);
            store.close();
        }
    }
}
