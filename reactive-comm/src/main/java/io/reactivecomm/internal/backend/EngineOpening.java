package io.reactivecomm.internal.backend;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.EngineContext;
import io.reactivecomm.spi.Loop;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One rank's opening of the engines beside the one over links, on all ranks together: those that are open while others are not. One that comes after the
 * end of the attempt is closed.
 *
 * <p><b>Threads.</b> Any.
 */
public final class EngineOpening {

    private final Map<String, CollectiveEngine> engines = new LinkedHashMap<>();
    private boolean handedOver;
    private boolean abandoned;

    private EngineOpening() {}

    /**
     * Opens the engines that the configuration names.
     *
     * <p><b>Subscription and cancellation.</b> Where one cannot be opened, or the subscriber cancels before all are, the others are closed.
     *
     * @param host the identity of this rank's machine
     */
    public static Mono<Backends> of(CommConfig config, ProcessGroup control, String host, Loop loop) {
        return Mono.defer(() -> {
            BackendChoice choice = BackendChoice.of(config.backend());
            if (choice.others().isEmpty()) {
                return Mono.just(new Backends(choice, Map.of()));
            }
            EngineOpening opening = new EngineOpening();
            return control.named("\u0001engines")
                    .allGatherObject(host, String.class)
                    .flatMap(hosts -> opening.open(choice, control, config, hosts, loop))
                    .doOnError(error -> opening.abandon())
                    .doOnCancel(opening::abandon);
        });
    }

    private Mono<Backends> open(BackendChoice choice, ProcessGroup control, CommConfig config, List<String> hosts, Loop loop) {
        return Flux.fromIterable(choice.others())
                .concatMap(name -> BackendChoice.provider(name)
                        .open(new EngineContext(control.named("\u0001engine/" + name), config, hosts, loop))
                        .doOnNext(engine -> add(name, engine)))
                .then(Mono.fromSupplier(() -> new Backends(choice, handOver())));
    }

    private synchronized void add(String name, CollectiveEngine engine) {
        if (abandoned) {
            engine.close();
        } else {
            engines.put(name, engine);
        }
    }

    /** {@return all, which are the caller's to close from here on} */
    private synchronized Map<String, CollectiveEngine> handOver() {
        handedOver = true;
        return engines;
    }

    private synchronized void abandon() {
        if (!handedOver && !abandoned) {
            abandoned = true;
            engines.values().forEach(CollectiveEngine::close);
        }
    }
}
