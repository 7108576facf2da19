package io.reactivecomm.internal.backend;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.Work;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.link.Mesh;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One rank's opening of the engines beside the one over links, on all ranks together: all ranks have them, or none has.
 *
 * <p>It is one composite call of the control group. Its body tells the hosts, opens one engine after the other, and ends in a barrier. Where it fails on
 * one rank it fails on all at once, with that rank's cause: also on those that wait for that rank as they open theirs. Another barrier follows then.
 *
 * <pre>
 *   hosts of all ──&gt; open, open, … ──&gt; barrier ──&gt; the caller's
 *                      │                  │
 *                      └─ fails here or elsewhere ──&gt; those that are open are closed ──&gt; barrier ──&gt; error
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
public final class EngineOpening {

    /** Longer than anybody waits, and far from the overflow of a clock in nanoseconds when it is doubled. */
    private static final Duration LONGEST = Duration.ofDays(1000);

    /** Longer than the others take to hear of a failure; one that is held, and does not, is not waited for. */
    private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(10);

    /** What ranks compare, and read in errors. */
    private static final String NAME = "opening of engines";

    private static final Logger LOG = WarningLog.of(EngineOpening.class);

    private final CommConfig config;
    private final ProcessGroup control;
    private final Mesh mesh;
    private final Loop loop;
    private final CollectiveEngine.GroupListener told;
    private final Duration patience;
    private final Map<String, CollectiveEngine> engines = new LinkedHashMap<>();
    private boolean handedOver;
    private boolean abandoned;

    private EngineOpening(CommConfig config, ProcessGroup control, Mesh mesh, CollectiveEngine.GroupListener told) {
        this.config = config;
        this.control = control;
        this.mesh = mesh;
        this.loop = mesh.loop();
        this.told = told;
        this.patience = config.rendezvousTimeout().compareTo(LONGEST) < 0 ? config.rendezvousTimeout() : LONGEST;
    }

    /**
     * Opens the engines that the configuration names. Where it names none, ranks have nothing to agree on, and nothing is sent.
     *
     * <p><b>Subscription and cancellation.</b> Where one cannot be opened, or the subscriber cancels before all are, the others are closed.
     *
     * <p><b>Errors.</b> {@link RendezvousException} on all ranks if an engine cannot be opened on one, or not within the rendezvous timeout.
     *
     * @param told hears of groups that an engine cannot serve any more
     */
    public static Mono<Backends> of(
            CommConfig config, ProcessGroup control, Mesh mesh, CollectiveEngine.GroupListener told) {
        return Mono.defer(() -> {
            EngineOpening opening = new EngineOpening(config, control, mesh, told);
            BackendChoice choice;
            try {
                choice = BackendChoice.of(config.backend());
            } catch (CommException e) {
                return opening.agreed(ignored -> Mono.error(e));
            } catch (Exception | Error e) {
                return opening.agreed(ignored -> Mono.error(opening.unreadable(e)));
            }
            return choice.others().isEmpty() ? Mono.just(new Backends(choice, Map.of())) : opening.all(choice);
        });
    }

    private RendezvousException unreadable(Throwable cause) {
        return new RendezvousException(
                "a provider of engines failed when it was asked what it has: backend=" + config.backend() + ", rank="
                        + control.rank() + ", cause=" + ErrorTexts.describe(cause)
                        + "; look at that rank's own output, or take that provider off its class path",
                cause);
    }

    private Mono<Backends> all(BackendChoice choice) {
        return agreed(inside -> {
                    // Assembled now, alike on all ranks; it comes last.
                    Mono<Work> allOpen = inside.barrier();
                    return inside.allGatherObject(mesh.host(), String.class)
                            .flatMap(hosts -> open(choice.others(), hosts))
                            .then(allOpen);
                })
                .map(ignored -> new Backends(choice, handOver()));
    }

    /** Twice the patience of an opening: when a rank waits no longer for the others, these have said why. */
    private <T> Mono<T> agreed(Function<ProcessGroup, Mono<T>> body) {
        return control.named(NAME)
                .timeout(patience.multipliedBy(2))
                .composite(NAME)
                .waitingOnly()
                .mono(body)
                .onErrorMap(CommException.class, this::told)
                .doOnError(error -> abandon())
                .onErrorResume(error -> allTold().then(Mono.error(error)))
                .doOnCancel(this::abandon);
    }

    /** {@return the one type for all ranks; on those that did not fail themselves it comes as a plain one, and what else ends it has another} */
    private RendezvousException told(CommException error) {
        if (error instanceof RendezvousException own) {
            return own;
        }
        String text = CommException.textOf(error);
        return error.getClass() == CommException.class
                ? new RendezvousException(text)
                : new RendezvousException(
                        "engines could not be opened: backend=" + config.backend() + ", cause=" + text, error);
    }

    /** Who fails stays until all have failed: that it has left would reach some of them before the reason does. */
    private Mono<Void> allTold() {
        Duration limit = patience.compareTo(LONGEST_FAREWELL) < 0 ? patience : LONGEST_FAREWELL;
        return control.named(NAME).timeout(limit).barrier().onErrorComplete().then();
    }

    /** One after the other, within one time for all. */
    private Mono<Void> open(Set<String> names, List<String> hosts) {
        if (mesh.leavesHost() && !config.encryption().permitsPlaintextOfEngines()) {
            return Mono.error(
                    new RendezvousException(
                            "an engine would move data between hosts without encryption: engines=" + names + ", rank="
                                    + control.rank() + ", hosts="
                                    + hosts.stream().distinct().count()
                                    + "; set RCOMM_PLAINTEXT=engines on all ranks if its network is trusted: connections stay encrypted"));
        }
        long until = loop.nanoTime() + patience.toNanos();
        return Flux.fromIterable(names)
                .concatMap(name -> {
                    EngineContext context =
                            new EngineContext(control.named("\u0001engine/" + name), config, hosts, loop);
                    return ProviderOpening.of(
                            name, context, Math.max(1, until - loop.nanoTime()), engine -> add(name, engine));
                })
                .then();
    }

    /** An engine that fails here is closed with the others. */
    private void add(String name, CollectiveEngine engine) {
        if (isKept(name, engine)) {
            engine.whenGroupFails(told);
        } else {
            close(name, engine);
        }
    }

    private synchronized boolean isKept(String name, CollectiveEngine engine) {
        return !abandoned && engines.put(name, engine) == null;
    }

    /** {@return all, which are the caller's to close from here on} */
    private synchronized Map<String, CollectiveEngine> handOver() {
        handedOver = true;
        return engines;
    }

    private void abandon() {
        if (isFirstEnd()) {
            engines.forEach(EngineOpening::close);
        }
    }

    private synchronized boolean isFirstEnd() {
        boolean isFirst = !handedOver && !abandoned;
        abandoned = isFirst || abandoned;
        return isFirst;
    }

    /** What it throws must not take the reason of the failure from anybody, nor the others their closing. */
    private static void close(String name, CollectiveEngine engine) {
        try {
            engine.close();
        } catch (Exception | Error e) {
            LOG.warn(
                    "an engine could not be closed after the opening had failed: engine={}",
                    name,
                    ErrorTexts.printable(e));
        }
    }
}
