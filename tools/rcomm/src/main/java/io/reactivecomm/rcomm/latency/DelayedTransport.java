package io.reactivecomm.rcomm.latency;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.spi.link.LinkTransport;
import io.reactivecomm.spi.link.Mesh;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import reactor.core.publisher.Mono;

/**
 * A transport whose links are slower than those of another.
 *
 * @param transport makes the links
 * @param shape by how much
 */
public record DelayedTransport(LinkTransport transport, LinkShape shape) implements LinkTransport {

    private static final String TCP = "tcp";

    /** {@return slow links over TCP} */
    public static DelayedTransport overTcp(LinkShape shape) {
        return ServiceLoader.load(LinkTransport.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(transport -> transport.name().equals(TCP))
                .findFirst()
                .map(transport -> new DelayedTransport(transport, shape))
                .orElseThrow(() -> new RendezvousException("no such transport on the class path: transport=" + TCP
                        + "; add the module that has it, reactive-comm-netty"));
    }

    @Override
    public String name() {
        return shape.nameOf(transport.name());
    }

    @Override
    public Mono<Mesh> connect(CommConfig config) {
        return transport.connect(config).map(mesh -> new DelayedMesh(mesh, new Shaper(mesh.loop(), shape)));
    }

    /**
     * Emits a second world of the same ranks, linked by this transport. All ranks of the group ask together, and close what they get.
     *
     * @param group whose ranks live on one machine: they meet through a file in a new temporary folder
     */
    public Mono<ProcessGroup> secondWorld(ProcessGroup group) {
        return Mono.defer(() -> group.broadcastObject(group.rank() == 0 ? newMeetingPlace() : null, 0, String.class))
                .map(place -> CommConfig.of(place, group.rank(), group.size()))
                .flatMap(config -> connect(config).flatMap(mesh -> Groups.world(mesh, config)));
    }

    private static String newMeetingPlace() {
        try {
            Path folder = Files.createTempDirectory("rcomm-");
            folder.toFile().deleteOnExit();
            return folder.resolve("store").toUri().toString();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a folder for the ranks to meet in; check java.io.tmpdir", e);
        }
    }
}
