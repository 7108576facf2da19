package io.reactivecomm.shm;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.LinkUpgrade;
import io.reactivecomm.spi.Mesh;
import io.reactivecomm.spi.PollingLoop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.Rendezvous;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;

/**
 * Has the ranks of one host talk through shared memory.
 *
 * <p>Each rank tells all others its host and how to find its memory. Those of one host map each other's, tell each other whose they could
 * map, and use what both could; all other pairs keep the links that they have.
 *
 * <pre>
 *   rank 0                     store                      rank 1
 *     | -- offer/0: host, file --&gt; | &lt;-- offer/1: host, file -- |
 *     |      maps 1's file         |        maps 0's file       |
 *     | -- seen/0: 1 ------------&gt; | &lt;------------ seen/1: 0 -- |
 * </pre>
 */
public final class ShmUpgrade implements LinkUpgrade {

    private static final Logger LOG = LoggerFactory.getLogger(ShmUpgrade.class);
    private static final String SEPARATOR = ",";

    private final Function<Mesh, Workshop> workshops;

    /** For {@link java.util.ServiceLoader}. */
    public ShmUpgrade() {
        this(Workshop::open);
    }

    /** @param workshops where a rank's memory is made; tests have others */
    ShmUpgrade(Function<Mesh, Workshop> workshops) {
        this.workshops = workshops;
    }

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public String base() {
        return "tcp";
    }

    @Override
    public Mono<Mesh> upgrade(Mesh mesh, CommConfig config) {
        Rendezvous store = mesh.rendezvous();
        if (store == null || mesh.worldSize() == 1 || !(mesh.loop() instanceof PollingLoop)) {
            return Mono.just(mesh);
        }
        return Mono.defer(() -> new Agreement(mesh, store.prefixed("shm"), config.rendezvousTimeout()).reach());
    }

    /** One rank's part of the agreement. */
    private final class Agreement {

        private final Mesh mesh;
        private final Rendezvous store;
        private final Duration patience;
        private @Nullable Workshop workshop;
        private @Nullable Mesh reached;
        private boolean abandoned;

        private Agreement(Mesh mesh, Rendezvous store, Duration patience) {
            this.mesh = mesh;
            this.store = store;
            this.patience = patience;
        }

        private Mono<Mesh> reach() {
            return Mono.fromSupplier(this::open)
                    .subscribeOn(Schedulers.boundedElastic())
                    .flatMap(this::reach)
                    .doOnError(error -> abandon())
                    .doFinally(end -> {
                        if (end == SignalType.CANCEL) {
                            abandon();
                        }
                    })
                    .doOnDiscard(Mesh.class, Mesh::close)
                    .onErrorMap(e -> e instanceof ProtocolException || e instanceof RendezvousException, this::disagreement);
        }

        private RendezvousException disagreement(Throwable cause) {
            return new RendezvousException(
                    "ranks cannot agree on shared memory: rank=" + mesh.rank() + ", cause=" + cause.getMessage()
                            + "; give all ranks the same class path, or RCOMM_TRANSPORT=tcp",
                    cause);
        }

        private Workshop open() {
            Workshop made = workshops.apply(mesh);
            boolean isTooLate;
            synchronized (this) {
                workshop = made;
                isTooLate = abandoned;
            }
            if (isTooLate) {
                made.abandon();
            }
            return made;
        }

        private Mesh finish(Workshop workshop) {
            Mesh made = workshop.finish();
            boolean isTooLate;
            synchronized (this) {
                reached = made;
                isTooLate = abandoned;
            }
            if (isTooLate) {
                made.close();
            }
            return made;
        }

        /**
         * Frees whatever there is by now, and the mesh; what is being made meanwhile is freed by who makes it. What has been reached is its
         * taker's: some operators cancel once they have their value.
         */
        private void abandon() {
            Workshop made;
            synchronized (this) {
                if (reached != null) {
                    return;
                }
                abandoned = true;
                made = workshop;
            }
            if (made != null) {
                made.abandon();
            } else {
                mesh.close();
            }
        }

        private Mono<Mesh> reach(Workshop workshop) {
            return store.set("offer/" + mesh.rank(), workshop.offer().encode())
                    .then(all("offer/", peer -> true))
                    .publishOn(Schedulers.boundedElastic())
                    .flatMap(offers -> {
                        offers.forEach((peer, text) -> workshop.map(peer, Offer.decode(text)));
                        return store.set("seen/" + mesh.rank(), text(workshop.mapped()));
                    })
                    .then(Mono.defer(() -> all("seen/", workshop.mapped()::contains)))
                    .publishOn(Schedulers.boundedElastic())
                    .map(seen -> {
                        seen.forEach((peer, text) -> {
                            if (!ranks(text).contains(mesh.rank())) {
                                workshop.forget(peer);
                            }
                        });
                        LOG.info("shared memory: rank={}, peers={}", mesh.rank(), workshop.mapped());
                        return finish(workshop);
                    });
        }

        /** {@return what the other ranks have set under such keys} */
        private Mono<Map<Integer, byte[]>> all(String prefix, IntPredicate wanted) {
            return Flux.fromStream(IntStream.range(0, mesh.worldSize()).filter(peer -> peer != mesh.rank()).filter(wanted).boxed())
                    .flatMap(peer -> store.get(prefix + peer, patience).map(value -> Map.entry(peer, value)))
                    .collect(HashMap<Integer, byte[]>::new, (found, each) -> found.put(each.getKey(), each.getValue()))
                    .map(Function.identity());
        }
    }

    private static byte[] text(Set<Integer> ranks) {
        return ranks.stream().map(String::valueOf).collect(Collectors.joining(SEPARATOR)).getBytes(StandardCharsets.UTF_8);
    }

    private static Set<Integer> ranks(byte[] text) {
        String all = new String(text, StandardCharsets.UTF_8);
        try {
            return all.isEmpty() ? Set.of() : Arrays.stream(all.split(SEPARATOR)).map(Integer::valueOf).collect(Collectors.toSet());
        } catch (NumberFormatException e) {
            throw new ProtocolException("not a list of ranks: " + all);
        }
    }
}
