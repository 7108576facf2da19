package io.reactivecomm.internal.local;

import io.reactivecomm.CommConfig;
import io.reactivecomm.HostPlace;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.Meeting;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.WorldProvider;
import io.reactivecomm.internal.base.Providers;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.rendezvous.Launcher;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** Makes worlds inside this JVM itself, and others through the transports and launchers on the class path. */
public final class Provider implements WorldProvider {

    /** Where a rank of a local world would be, if it had to be anywhere: only the environment's other settings count. */
    private static final Map<String, String> PLACE = Map.of(
            "RANK",
            "0",
            "WORLD_SIZE",
            "1",
            "MASTER_ADDR",
            "127.0.0.1",
            "RCOMM_MASTER_PORT",
            Integer.toString(CommConfig.DEFAULT_PORT));

    @Override
    public CommConfig discover(Map<String, String> environment) {
        Map<String, String> settings = CommConfig.settings(environment);
        for (Launcher launcher : Providers.of(Launcher.class).loaded()) {
            Optional<Map<String, String>> translated = launcher.translate(settings);
            if (translated.isPresent()) {
                return CommConfig.fromEnvironment(translated.get());
            }
        }
        return CommConfig.fromEnvironment(environment);
    }

    @Override
    public Mono<ProcessGroup> connect(Map<String, String> environment, UnaryOperator<CommConfig> change) {
        Map<String, String> settings = CommConfig.settings(environment);
        return Meetings.offered(settings)
                .map(offer -> offer.flatMap(Attempt.step(meeting -> Meetings.through(
                        meeting,
                        Meetings.patience(settings),
                        rounds -> join(change.apply(CommConfig.fromEnvironment(environment, rounds)))))))
                .orElseGet(() -> connectDiscovered(environment, change));
    }

    private Mono<ProcessGroup> connectDiscovered(Map<String, String> environment, UnaryOperator<CommConfig> change) {
        return connect(change.apply(discover(environment)));
    }

    @Override
    public Mono<ProcessGroup> connect(CommConfig config) {
        Meeting meeting = config.meeting();
        return meeting == null
                ? join(config)
                : Meetings.through(
                        meeting,
                        config.rendezvousTimeout(),
                        rounds -> join(config.withMeeting(rounds).withListener(config.host(), config.port())));
    }

    private static Mono<ProcessGroup> join(CommConfig config) {
        return Transports.connect(config)
                .doFirst(() -> Groups.prepare(config))
                .flatMap(Attempt.step(mesh -> Groups.world(mesh, config)));
    }

    @Override
    public LocalWorld local(int worldSize) {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.putAll(PLACE);
        environment.keySet().removeAll(HostPlace.VARIABLES);
        return local(worldSize, CommConfig.fromEnvironment(environment));
    }

    @Override
    public LocalWorld local(int worldSize, CommConfig settings) {
        return LocalRanks.of(worldSize, settings);
    }
}
