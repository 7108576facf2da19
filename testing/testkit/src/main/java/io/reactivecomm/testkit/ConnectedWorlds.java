package io.reactivecomm.testkit;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;

/** Worlds whose ranks, all in this JVM, know each other only through a transport of the class path and the store at which they meet. */
public interface ConnectedWorlds extends Worlds {

    /** What Netty's allocators keep for the life of the JVM: a chunk for each thread that ever allocated. */
    long POOLED_BYTES = 256L << 20;

    /** The rule of encryption of this run. With {@code RCOMM_TLS=all} in the environment all worlds, and the cells of the fault matrix, are encrypted. */
    Encryption ENCRYPTION = Encryption.fromEnvironment(System.getenv());

    /** {@return the transport by which the ranks connect} */
    String transport();

    @Override
    default WorldContract.World open(int size) {
        return open(transport(), size, UnaryOperator.identity());
    }

    @Override
    default long slackBytes() {
        return POOLED_BYTES;
    }

    /** {@return a world of ranks that are set up otherwise than by default} */
    static WorldContract.World open(String transport, int size, UnaryOperator<CommConfig> setUp) {
        HostedStore store = store();
        List<ProcessGroup> groups = Objects.requireNonNull(Flux.range(0, size)
                .flatMap(rank -> ReactiveComm.connect(setUp.apply(config(store, transport, rank, size))), size)
                .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                .block(Ranks.LIMIT));
        return new Ranks(store, groups);
    }

    /** {@return a store on loopback, where ranks of {@link #config} meet} */
    static HostedStore store() {
        StoreHost host = ServiceLoader.load(StoreHost.class).findFirst().orElseThrow();
        return Objects.requireNonNull(
                host.start("127.0.0.1", 0, Ranks.TOKEN, ENCRYPTION).block(Ranks.LIMIT));
    }

    /** {@return the configuration of a rank that meets the others there} */
    static CommConfig config(HostedStore store, String transport, int rank, int size) {
        return CommConfig.of(rank, size, "127.0.0.1", store.port())
                .withTransport(transport)
                .withStoreHosted(true)
                .withToken(Ranks.TOKEN)
                .withEncryption(ENCRYPTION);
    }

    /** The ranks of one, and the store at which they met. */
    record Ranks(HostedStore store, List<ProcessGroup> groups) implements WorldContract.World {

        private static final Duration LIMIT = Duration.ofSeconds(90);
        private static final String TOKEN = "the token of a contract";

        @Override
        public void close() {
            groups.forEach(ProcessGroup::close);
            store.close();
        }
    }
}
