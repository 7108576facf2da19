package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.spi.link.LinkTransport;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.testkit.ConnectedWorlds;
import io.reactivecomm.testkit.collective.LinksCollectiveContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of collectives where one rank of a host has no shared memory: pairs with it talk over sockets, all others as ever. */
class PartlySharedWorldTest extends LinksCollectiveContract {

    /** The rank whose system refuses it any. */
    private static final int WITHOUT = 1;

    /** Several pieces, to each rank. */
    private static final int LONG = 900_001;

    @Override
    protected ShapeMatrix matrix() {
        return new ShapeMatrix(List.of(3, 5), false);
    }

    @Override
    public World open(int size) {
        HostedStore store = ConnectedWorlds.store();
        List<ProcessGroup> groups = Flux.range(0, size)
                .flatMap(rank -> connect(ConnectedWorlds.config(store, ShmWorlds.TRANSPORT, rank, size)), size)
                .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                .block(LIMIT);
        return new ConnectedWorlds.Ranks(store, groups);
    }

    @Override
    public long slackBytes() {
        return ConnectedWorlds.POOLED_BYTES;
    }

    private static Mono<ProcessGroup> connect(CommConfig config) {
        return mesh(config)
                .doOnNext(PartlySharedWorldTest::requirePartlyShared)
                .flatMap(mesh -> Groups.world(mesh, config));
    }

    /** {@return the links of a rank among which {@link #WITHOUT} has no shared memory} */
    static Mono<Mesh> mesh(CommConfig config) {
        LinkTransport tcp = ServiceLoader.load(LinkTransport.class).findFirst().orElseThrow();
        ShmUpgrade upgrade = new ShmUpgrade(PartlySharedWorldTest::setup);
        return tcp.connect(config).flatMap(mesh -> upgrade.upgrade(mesh, config));
    }

    private static ShmSetup setup(Mesh mesh) {
        return mesh.rank() == WITHOUT
                ? new ShmSetup(mesh, SharedFileLayout.of(mesh.worldSize(), 1 << 20), null)
                : ShmSetup.open(mesh);
    }

    private static void requirePartlyShared(Mesh mesh) {
        for (int peer = 0; peer < mesh.worldSize(); peer++) {
            if (peer != mesh.rank()) {
                boolean isShared = peer != WITHOUT && mesh.rank() != WITHOUT;
                assertThat(mesh.link(peer) instanceof ShmLink)
                        .as("shared memory from %d to %d", mesh.rank(), peer)
                        .isEqualTo(isShared);
            }
        }
    }

    /** The same memory is read in place by some and sent to one. */
    @Test
    void allReduce_tensorsOfTheGroup_areReadInPlaceBySome_andSentToOne() {
        List<ProcessGroup> groups = world(4);
        List<Tensor> tensors =
                groups.stream().map(group -> group.allocate(DType.INT32, LONG)).toList();
        for (int rank = 0; rank < tensors.size(); rank++) {
            for (int i = 0; i < LONG; i++) {
                tensors.get(rank).segment().setAtIndex(ValueLayout.JAVA_INT, i, (rank + 1) * i);
            }
        }
        all(groups, group -> group.allReduce(tensors.get(group.rank()), ReduceOp.SUM));
        for (Tensor tensor : tensors) {
            int[] sums = tensor.toIntArray();
            for (int i = 0; i < LONG; i++) {
                if (sums[i] != 10 * i) {
                    throw new AssertionError("a sum differs: index=" + i + ", actual=" + sums[i]);
                }
            }
        }
        tensors.forEach(Tensor::close);
    }
}
