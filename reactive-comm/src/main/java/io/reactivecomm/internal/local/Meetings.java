package io.reactivecomm.internal.local;

import io.reactivecomm.Choices;
import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.Meeting;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.Timeouts;
import io.reactivecomm.internal.backend.BackendChoice;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.OwnThreads;
import io.reactivecomm.internal.base.Providers;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.rendezvous.MeetingProvider;
import io.reactivecomm.spi.rendezvous.MeetingRounds;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** Worlds whose ranks meet by an all-gather, of the program's or of an engine's library. */
final class Meetings {

    private static final Logger LOG = LoggerFactory.getLogger(Meetings.class);

    /** A word to the others takes about as long as they need to come; whoever has waited already adds little. */
    private static final Duration LEAST_FAREWELL = Duration.ofMillis(100);

    /** Far from the overflow of a clock in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(1000);

    private Meetings() {}

    /**
     * {@return a world that is joined by an all-gather, where all ranks hear why one of them does not join}
     *
     * @param patience the rendezvous timeout: how long an error waits until the others know it. A round that has not ended when as much again is over
     *     is cancelled.
     * @param join takes the all-gather to use
     */
    static Mono<ProcessGroup> through(Meeting meeting, Duration patience, Function<Meeting, Mono<ProcessGroup>> join) {
        return Mono.defer(() -> {
            MeetingRounds rounds = new MeetingRounds(meeting);
            long until = System.nanoTime() + bounded(patience).toNanos();
            return Attempt.begin(() -> join.apply(rounds))
                    .onErrorResume(problem -> tell(rounds, problem, until, patience)
                            .timeout(atLeast(until - System.nanoTime()), OwnThreads.deadlines())
                            .onErrorComplete()
                            .then(Mono.error(problem)))
                    .doOnCancel(() -> tell(
                            rounds,
                            new RendezvousException("its program cancelled the attempt to connect"),
                            until,
                            patience));
        });
    }

    /** {@return the end of the rounds, which come to an end whether the function does or not} */
    private static Mono<Void> tell(MeetingRounds rounds, Throwable problem, long until, Duration patience) {
        Mono<Void> told = rounds.tell(problem);
        told.timeout(atLeast(until - System.nanoTime()).plus(bounded(patience)), OwnThreads.deadlines())
                .subscribe(ignored -> {}, late -> rounds.cancel());
        return told;
    }

    private static Duration bounded(Duration patience) {
        return patience.compareTo(LONGEST) < 0 ? patience : LONGEST;
    }

    private static Duration atLeast(long nanos) {
        return nanos < LEAST_FAREWELL.toNanos() ? LEAST_FAREWELL : Duration.ofNanos(nanos);
    }

    /** {@return the all-gather that an engine's library has in this process, if the environment asks for the engine and names no store} */
    static Optional<Mono<Meeting>> offered(Map<String, String> environment) {
        if (namesStore(environment)) {
            return Optional.empty();
        }
        // Alone: what is wrong with other settings is to be told to all ranks, once they can hear it.
        Set<String> engines = BackendChoice.named(environment.getOrDefault("RCOMM_BACKEND", Choices.DEFAULT_BACKEND));
        for (MeetingProvider provider : Providers.of(MeetingProvider.class).loaded()) {
            if (engines.contains(provider.engine())) {
                Optional<Mono<Meeting>> offer = provider.offer(environment);
                if (offer.isPresent()) {
                    return offer.map(each -> opened(provider.engine(), each, patience(environment)));
                }
            }
        }
        return Optional.empty();
    }

    /** A switch that is neither on nor off is told by whoever reads all settings. */
    private static boolean namesStore(Map<String, String> environment) {
        String hosted =
                environment.getOrDefault("RCOMM_STORE_HOSTED", "").strip().toLowerCase(Locale.ROOT);
        return environment.containsKey("MASTER_ADDR") || hosted.equals("1") || hosted.equals("true");
    }

    /** {@return the rendezvous timeout} One that cannot be read is told by whoever reads all settings, when the others can hear of it. */
    static Duration patience(Map<String, String> environment) {
        try {
            return Timeouts.fromEnvironment(environment).rendezvous();
        } catch (RendezvousException e) {
            LOG.debug("the rendezvous timeout is unknown as yet", e);
            return CommConfig.DEFAULT_RENDEZVOUS_TIMEOUT;
        }
    }

    private static Mono<Meeting> opened(String engine, Mono<Meeting> offer, Duration patience) {
        return offer.doOnSubscribe(
                        ignored -> LOG.info("ranks meet by the all-gather of an engine's library: engine={}", engine))
                .switchIfEmpty(Mono.error(() -> new RendezvousException(notOpened(engine, "it gave none"))))
                .timeout(bounded(patience), Mono.error(() -> late(engine, patience)), OwnThreads.deadlines())
                .onErrorMap(
                        problem -> !(problem instanceof CommException),
                        problem -> new RendezvousException(notOpened(engine, ErrorTexts.describe(problem)), problem));
    }

    private static RendezvousException late(String engine, Duration patience) {
        return new RendezvousException(notOpened(engine, "it was not there within " + patience.toMillis() + " ms"));
    }

    private static String notOpened(String engine, String cause) {
        return "the library of an engine did not come to gather: engine=" + engine + ", cause=" + cause
                + "; see what it says here and on the other ranks, or name rank 0's host with MASTER_ADDR on all ranks";
    }
}
