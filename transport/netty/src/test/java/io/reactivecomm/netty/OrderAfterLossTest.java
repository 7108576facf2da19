package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.spi.link.Mesh;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ranks whose engine needs one order of calls, when one of them is lost. */
class OrderAfterLossTest {

    private static Mono<Work> sum(ProcessGroup group) {
        return Mono.using(
                () -> Tensor.allocate(DType.INT32, 3), tensor -> group.allReduce(tensor, ReduceOp.SUM), Tensor::close);
    }

    @Test
    void groupsOfTheLostRank_fail_andOthersGoOnInOrder() {
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            List<Mesh> meshes = world.connect(3);
            List<ProcessGroup> groups = Flux.fromIterable(meshes)
                    .flatMapSequential(mesh ->
                            Groups.world(mesh, world.config(mesh.rank(), 3).withBackend("cpu:instant")))
                    .collectList()
                    .block(MeshWorld.PATIENCE);
            List<ProcessGroup> pair = Flux.fromIterable(groups)
                    .flatMapSequential(group -> group.newGroup(1, 0))
                    .collectList()
                    .block(MeshWorld.PATIENCE);
            Flux.fromIterable(groups).flatMap(OrderAfterLossTest::sum).blockLast(MeshWorld.PATIENCE);
            Mono<List<Throwable>> waiting = Flux.fromIterable(groups.subList(0, 2))
                    .flatMap(group -> sum(group)
                            .<Throwable>map(work -> new AssertionError("succeeded: " + work))
                            .onErrorResume(Mono::just))
                    .collectList()
                    .cache();
            waiting.subscribe();

            meshes.get(2).close();

            assertThat(waiting.block(MeshWorld.PATIENCE)).hasSize(2).allSatisfy(error -> {
                assertThat(error).isInstanceOf(PeerLostException.class);
                assertThat(((PeerLostException) error).rank()).isEqualTo(2);
            });
            List<Work> works = Flux.fromIterable(pair)
                    .flatMap(OrderAfterLossTest::sum)
                    .collectList()
                    .block(MeshWorld.PATIENCE);
            assertThat(works).extracting(Work::backend).containsExactly("instant", "instant");
            groups.forEach(ProcessGroup::close);
        }
    }
}
