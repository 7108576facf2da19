package io.reactivecomm.local;

import io.reactivecomm.Choices;
import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.WorldProvider;
import io.reactivecomm.engine.Groups;
import io.reactivecomm.spi.Launcher;
import io.reactivecomm.spi.LinkTransport;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import reactor.core.publisher.Mono;

/** Makes worlds inside this JVM itself, and others through the transports and launchers on the class path. */
public final class Provider implements WorldProvider {

    @Override
    public CommConfig discover(Map<String, String> environment) {
        for (Launcher launcher : ServiceLoader.load(Launcher.class, Provider.class.getClassLoader())) {
            Optional<Map<String, String>> translated = launcher.translate(environment);
            if (translated.isPresent()) {
                return CommConfig.fromEnvironment(translated.get());
            }
        }
        return CommConfig.fromEnvironment(environment);
    }

    @Override
    public Mono<ProcessGroup> connect(CommConfig config) {
        return transport(config.transport())
                .connect(config)
                .flatMap(mesh -> Groups.world(mesh, config));
    }

    private static LinkTransport transport(String name) {
        for (LinkTransport transport : ServiceLoader.load(LinkTransport.class, Provider.class.getClassLoader())) {
            if (transport.name().equals(name)) {
                return transport;
            }
        }
        throw new RendezvousException("no such transport on the class path: transport=" + name
                + "; add the module that has it, such as reactive-comm-netty for tcp");
    }

    @Override
    public LocalWorld local(int worldSize) {
        Map<String, String> environment = System.getenv();
        Choices choices = Choices.fromEnvironment(environment);
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT)
                .withTimeout(CommConfig.defaultTimeout(environment))
                .withObjectBytes(CommConfig.defaultObjectBytes(environment))
                .withBackend(choices.backend())
                .withOff(choices.off())
                .withAlgorithms(choices.algorithms());
        return local(worldSize, settings);
    }

    @Override
    public LocalWorld local(int worldSize, CommConfig settings) {
        return LocalRanks.of(worldSize, settings);
    }
}
