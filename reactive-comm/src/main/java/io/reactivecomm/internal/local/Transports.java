package io.reactivecomm.internal.local;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.base.Providers;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.link.LinkTransport;
import io.reactivecomm.spi.link.LinkUpgrade;
import io.reactivecomm.spi.link.Mesh;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/** The transports on the class path, and what makes their links better. */
final class Transports {

    /** What connects any two machines. */
    private static final String EVERYWHERE = "tcp";

    private Transports() {}

    /** {@return the links to all other ranks, by the transport that the configuration names} */
    static Mono<Mesh> connect(CommConfig config) {
        String name = config.transport();
        if (name.equals(CommConfig.DEFAULT_TRANSPORT)) {
            return upgrades()
                    .reduce(
                            transport(EVERYWHERE).connect(config),
                            (mesh, better) -> upgraded(mesh, better, config),
                            (one, two) -> two);
        }
        return upgrades()
                .filter(upgrade -> upgrade.name().equals(name))
                .findFirst()
                .map(upgrade -> upgraded(transport(upgrade.base()).connect(config), upgrade, config))
                .orElseGet(() -> transport(name).connect(config));
    }

    private static Mono<Mesh> upgraded(Mono<Mesh> mesh, LinkUpgrade upgrade, CommConfig config) {
        return mesh.flatMap(Attempt.step(plain -> upgrade.upgrade(plain, config)));
    }

    private static Stream<LinkUpgrade> upgrades() {
        return Providers.of(LinkUpgrade.class).loaded().stream();
    }

    private static LinkTransport transport(String name) {
        Providers<LinkTransport> providers = Providers.of(LinkTransport.class);
        for (LinkTransport transport : providers.loaded()) {
            if (transport.name().equals(name)) {
                return transport;
            }
        }
        throw new RendezvousException(
                "no such transport on the class path: transport=" + name + providers.failuresText()
                        + "; add the module that has it, such as reactive-comm-netty for tcp or reactive-comm-shm for shm");
    }
}
