package io.reactivecomm.testkit.chain;

import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * The point that all ranks pass, for those who wait until the last has.
 *
 * <p><b>Threads.</b> Any; those who wait go on elsewhere, so that what is thrown there is not the last rank's.
 */
final class Gathering {

    private final AtomicInteger missing;
    private final Sinks.Empty<Void> all = Sinks.empty();

    Gathering(int ranks) {
        missing = new AtomicInteger(ranks);
    }

    void arrive() {
        if (missing.decrementAndGet() == 0) {
            all.tryEmitEmpty();
        }
    }

    /** {@return what completes when all have arrived} */
    Mono<Void> all() {
        return all.asMono().publishOn(Schedulers.parallel());
    }
}
