package io.reactivecomm.rcomm.latency;

import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The links of another mesh, shaped: {@link LinkShape}. */
record DelayedMesh(Mesh mesh, Shaper shaper) implements Mesh {

    @Override
    public int rank() {
        return mesh.rank();
    }

    @Override
    public int worldSize() {
        return mesh.worldSize();
    }

    @Override
    public String worldId() {
        return mesh.worldId();
    }

    @Override
    public String host() {
        return mesh.host();
    }

    /** What comes late comes from afar. */
    @Override
    public boolean leavesHost() {
        return mesh.leavesHost();
    }

    @Override
    public List<Integer> hosts() {
        return IntStream.range(0, mesh.worldSize()).boxed().toList();
    }

    @Override
    public Loop loop() {
        return mesh.loop();
    }

    @Override
    public Link link(int peer) {
        return shaper.shaped(mesh.link(peer));
    }

    @Override
    public void start(LinkEvents events) {
        mesh.start(shaper.events(events));
    }

    @Override
    public @Nullable Rendezvous rendezvous() {
        return mesh.rendezvous();
    }

    @Override
    public void close() {
        mesh.close();
    }
}
