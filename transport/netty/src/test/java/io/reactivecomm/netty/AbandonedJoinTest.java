package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.spi.link.Mesh;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

/** Ranks that are connected, and give up before they are a world: nothing of theirs is left. */
@Timeout(60)
class AbandonedJoinTest {

    private static void expectEnd(Mesh mesh) throws InterruptedException {
        assertThat(mesh.loop().thread().join(MeshWorld.PATIENCE))
                .as("the loop ended")
                .isTrue();
    }

    @Test
    void cancelled_whileAnEngineOpens_closesTheMesh() throws InterruptedException {
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            List<Mesh> meshes = world.connect(2);
            CommConfig config = world.config(0, 2).withBackend("cpu:endless");
            Disposable joining = Groups.world(meshes.getFirst(), config).subscribe();

            joining.dispose();

            expectEnd(meshes.getFirst());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu:", "no-such-engine"})
    void backend_thatMakesNoSense_closesTheMesh(String backend) throws InterruptedException {
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            Mesh mesh = world.connect(1).getFirst();

            StepVerifier.create(Groups.world(mesh, world.config(0, 1).withBackend(backend)))
                    .expectError(RendezvousException.class)
                    .verify(MeshWorld.PATIENCE);

            expectEnd(mesh);
        }
    }
}
