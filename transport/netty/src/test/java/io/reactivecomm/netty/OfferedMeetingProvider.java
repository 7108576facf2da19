package io.reactivecomm.netty;

import io.reactivecomm.Meeting;
import io.reactivecomm.spi.rendezvous.MeetingProvider;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;

/** An offer of {@link InstantEngineProvider}'s engine, where a test has put one under the name that the environment has. */
public final class OfferedMeetingProvider implements MeetingProvider {

    /** The variable that names an offer. */
    static final String VARIABLE = "TEST_MEETING";

    static final Map<String, Mono<Meeting>> OFFERS = new ConcurrentHashMap<>();

    /** For {@link java.util.ServiceLoader}. */
    public OfferedMeetingProvider() {}

    @Override
    public String engine() {
        return "instant";
    }

    @Override
    public Optional<Mono<Meeting>> offer(Map<String, String> environment) {
        return Optional.ofNullable(OFFERS.get(environment.getOrDefault(VARIABLE, "")));
    }
}
