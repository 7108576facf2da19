package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.spi.link.Mesh;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Signal;
import reactor.core.publisher.SignalType;

/** Ranks that call nothing while another is lost. */
class IdleLossTest {

    @Test
    void ended_ofEachGroupOfTheLostRank_fails_andNoOther() {
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            List<Mesh> meshes = world.connect(3);
            List<ProcessGroup> groups = Flux.fromIterable(meshes)
                    .flatMapSequential(mesh -> Groups.world(mesh, world.config(mesh.rank(), 3)))
                    .collectList()
                    .block(MeshWorld.PATIENCE);
            List<ProcessGroup> with = Flux.fromIterable(groups)
                    .flatMapSequential(group -> group.newGroup(2, 1))
                    .collectList()
                    .block(MeshWorld.PATIENCE);
            List<ProcessGroup> without = Flux.fromIterable(groups)
                    .flatMapSequential(group -> group.newGroup(1, 0))
                    .collectList()
                    .block(MeshWorld.PATIENCE);
            CompletableFuture<Signal<Void>> kept = ended(without.get(0));
            List<CompletableFuture<Signal<Void>>> ends =
                    List.of(ended(groups.get(0)), ended(groups.get(1)), ended(with.get(0)));

            meshes.get(2).close();

            ends.forEach(end -> requireLost(await(end)));
            groups.get(0).close();
            requireLost(await(ended(groups.get(0))));
            assertThat(await(kept).getType()).isEqualTo(SignalType.ON_COMPLETE);
            groups.forEach(ProcessGroup::close);
        }
    }

    private static CompletableFuture<Signal<Void>> ended(ProcessGroup group) {
        return group.ended().materialize().toFuture();
    }

    private static Signal<Void> await(CompletableFuture<Signal<Void>> end) {
        return end.orTimeout(MeshWorld.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static void requireLost(Signal<Void> end) {
        assertThat(end.getThrowable()).isInstanceOf(PeerLostException.class);
        assertThat(((PeerLostException) end.getThrowable()).rank()).isEqualTo(2);
    }
}
