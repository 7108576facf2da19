package io.reactivecomm.samples.bench.latency;

import io.reactivecomm.spi.Link;
import io.reactivecomm.spi.LinkEvents;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.Mesh;
import io.reactivecomm.spi.Rendezvous;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The links of another mesh, each of which delivers later: {@link DelayedEvents}. */
record DelayedMesh(Mesh mesh, Duration latency) implements Mesh {

    @Override
    public int rank() {
        return mesh.rank();
    }

    @Override
    public int worldSize() {
        return mesh.worldSize();
    }

    @Override
    public String host() {
        return mesh.host();
    }

    /** What comes late comes from afar. */
    @Override
    public int hosts() {
        return mesh.worldSize();
    }

    @Override
    public Loop loop() {
        return mesh.loop();
    }

    @Override
    public Link link(int peer) {
        return mesh.link(peer);
    }

    @Override
    public void start(LinkEvents events) {
        mesh.start(new DelayedEvents(mesh.loop(), latency, events));
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
