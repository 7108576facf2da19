package io.reactivecomm.shm;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.PollingLoop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.WorkThreads;
import io.reactivecomm.spi.link.LinkUpgrade;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.Rendezvous;
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

    private final Function<Mesh, ShmSetup> setups;

    /** For {@link java.util.ServiceLoader}. */
    public ShmUpgrade() {
        this(ShmSetup::open);
    }

    /** @param setups where a rank's memory is made; tests have others */
    ShmUpgrade(Function<Mesh, ShmSetup> setups) {
        this.setups = setups;
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
        return Attempt.begin(() -> new Negotiation(mesh, store.prefixed("shm"), config.rendezvousTimeout()).reach());
    }

    /** One rank's part of the agreement. */
    private final class Negotiation {

        private final Mesh mesh;
        private final Rendezvous store;
        private final Duration patience;
        private @Nullable ShmSetup setup;
        private @Nullable Mesh reached;
        private boolean abandoned;

        private Negotiation(Mesh mesh, Rendezvous store, Duration patience) {
            this.mesh = mesh;
            this.store = store;
            this.patience = patience;
        }

        private Mono<Mesh> reach() {
            return Attempt.begin(() -> Mono.just(open()))
                    .subscribeOn(WorkThreads.shared())
                    .flatMap(Attempt.step(this::reach))
                    .doOnError(error -> abandon())
                    .doFinally(end -> {
                        if (end == SignalType.CANCEL) {
                            abandon();
                        }
                    })
                    .doOnDiscard(Mesh.class, Mesh::close)
                    .onErrorMap(
                            e -> e instanceof ProtocolException || e instanceof RendezvousException,
                            this::disagreement);
        }

        private RendezvousException disagreement(Throwable cause) {
            return new RendezvousException(
                    "ranks cannot agree on shared memory: rank=" + mesh.rank() + ", cause="
                            + CommException.textOf(cause)
                            + "; give all ranks the same class path, or RCOMM_TRANSPORT=tcp",
                    cause);
        }

        private ShmSetup open() {
            ShmSetup made = setups.apply(mesh);
            boolean isTooLate;
            synchronized (this) {
                setup = made;
                isTooLate = abandoned;
            }
            if (isTooLate) {
                made.abandon();
            }
            return made;
        }

        private Mesh finish(ShmSetup setup) {
            Mesh made = setup.finish();
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
            ShmSetup made;
            synchronized (this) {
                if (reached != null) {
                    return;
                }
                abandoned = true;
                made = setup;
            }
            if (made != null) {
                made.abandon();
            } else {
                mesh.close();
            }
        }

        private Mono<Mesh> reach(ShmSetup setup) {
            return store.set("offer/" + mesh.rank(), setup.offer().encode())
                    .then(all("offer/", peer -> true))
                    .publishOn(WorkThreads.shared())
                    .flatMap(Attempt.step(offers -> {
                        offers.forEach((peer, text) -> setup.map(peer, ShmOffer.decode(text)));
                        return store.set("seen/" + mesh.rank(), text(setup.mapped()));
                    }))
                    .then(Attempt.begin(() -> all("seen/", setup.mapped()::contains)))
                    .publishOn(WorkThreads.shared())
                    .flatMap(Attempt.step(seen -> {
                        seen.forEach((peer, text) -> {
                            if (!ranks(text).contains(mesh.rank())) {
                                setup.forget(peer);
                            }
                        });
                        LOG.info("shared memory: rank={}, peers={}", mesh.rank(), setup.mapped());
                        return Mono.just(finish(setup));
                    }));
        }

        /** {@return what the other ranks have set under such keys} */
        private Mono<Map<Integer, byte[]>> all(String prefix, IntPredicate wanted) {
            return Flux.fromStream(IntStream.range(0, mesh.worldSize())
                            .filter(peer -> peer != mesh.rank())
                            .filter(wanted)
                            .boxed())
                    .flatMap(peer -> store.get(prefix + peer, patience).map(value -> Map.entry(peer, value)))
                    .collect(HashMap<Integer, byte[]>::new, (found, each) -> found.put(each.getKey(), each.getValue()))
                    .map(Function.identity());
        }
    }

    private static byte[] text(Set<Integer> ranks) {
        return ranks.stream()
                .map(String::valueOf)
                .collect(Collectors.joining(SEPARATOR))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static Set<Integer> ranks(byte[] text) {
        String all = new String(text, StandardCharsets.UTF_8);
        try {
            return all.isEmpty()
                    ? Set.of()
                    : Arrays.stream(all.split(SEPARATOR)).map(Integer::valueOf).collect(Collectors.toSet());
        } catch (NumberFormatException e) {
            throw new ProtocolException("broken list of ranks: ranks=" + all);
        }
    }
}
