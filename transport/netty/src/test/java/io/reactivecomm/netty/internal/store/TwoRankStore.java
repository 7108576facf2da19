package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.MeshWorld;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** A store as two ranks see it, for the tests of its operations. */
@Timeout(60)
abstract class TwoRankStore {

    static final Duration SOON = MeshWorld.PATIENCE;

    final ManualTimers timers = new ManualTimers();
    MeshWorld world;
    Rendezvous store0;
    Rendezvous store1;

    @BeforeEach
    final void begin() {
        world = new MeshWorld(TransportOptions.DEFAULT.withTimers(timers));
        var meshes = world.connect(2);
        store0 = meshes.get(0).rendezvous();
        store1 = meshes.get(1).rendezvous();
    }

    @AfterEach
    final void end() {
        world.close();
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    static void expectError(Mono<?> request, String... parts) {
        StepVerifier.create(request)
                .expectErrorSatisfies(e ->
                        assertThat(e).isInstanceOf(RendezvousException.class).hasMessageContainingAll(parts))
                .verify(SOON);
    }
}
