package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.netty.CapturedLog;
import io.reactivecomm.netty.MeshWorld;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.spi.link.Mesh;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TcpMeshTest {

    @Test
    void close_twice_waitsForNothing() {
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT);
                CapturedLog log = CapturedLog.of(TcpMesh.class)) {
            Mesh mesh = world.connect(1).getFirst();
            mesh.close();
            mesh.close();
            assertThat(log.lines()).isEmpty();
        }
    }
}
