package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import io.reactivecomm.testkit.LeakCheck;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls of two ranks when one of their lanes is cut. */
class LaneLossTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int LANES = 3;

    /** Several pieces for each lane. */
    private static final long COUNT = 4 << 20;

    /** What Netty's allocators keep for the life of the JVM. */
    private static final long POOLED_BYTES = 256L << 20;

    /** One end of a pair of links, as the mesh of a world of two. */
    private record PairMesh(int rank, TcpLink link, NettyLoop loop) implements Mesh {

        @Override
        public int worldSize() {
            return 2;
        }

        @Override
        public String host() {
            return "here";
        }

        @Override
        public List<Integer> hosts() {
            return List.of(0, 0);
        }

        @Override
        public boolean leavesHost() {
            return false;
        }

        @Override
        public Link link(int peer) {
            return link;
        }

        @Override
        public void start(LinkEvents events) {
            link.start(events);
        }

        @Override
        public Rendezvous rendezvous() {
            return null;
        }

        @Override
        public void close() {
            LinkPair.run(loop, () -> link.fail("this rank has closed its transport"));
        }
    }

    @BeforeAll
    static void openWhatStaysOpen() throws Exception {
        for (Sockets sockets : Sockets.values()) {
            LinkPair.connect(sockets).close();
        }
    }

    private static Mono<Throwable> failure(ProcessGroup group) {
        return Mono.using(
                () -> Tensor.allocate(DType.FLOAT32, COUNT),
                tensor -> group.allReduce(tensor, ReduceOp.SUM)
                        .<Throwable>map(work -> new AssertionError("succeeded: " + work))
                        .onErrorResume(Mono::just),
                Tensor::close);
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void lane_thatIsCut_failsCallsOnBothRanks_andLeavesNothing(Sockets sockets) throws Exception {
        LeakCheck leaks = LeakCheck.begin();
        try (LinkPair pair = LinkPair.connect(sockets, Timers.SYSTEM, LANES)) {
            CommConfig config = CommConfig.of(0, 2, "127.0.0.1", 1);
            List<Mesh> meshes =
                    List.of(new PairMesh(0, pair.link0, pair.loop0), new PairMesh(1, pair.link1, pair.loop1));
            List<ProcessGroup> groups = Flux.fromIterable(meshes)
                    .flatMapSequential(mesh -> Groups.world(mesh, config))
                    .collectList()
                    .block(LIMIT);
            // The call cannot end before the lane is cut.
            Gate.before(pair.lanes0.get(1));
            Mono<List<Throwable>> failures = Flux.fromIterable(groups)
                    .flatMap(LaneLossTest::failure)
                    .collectList()
                    .cache();
            failures.subscribe();
            awaitPayload(pair);

            pair.lanes0.get(1).close();

            assertThat(failures.block(LIMIT))
                    .hasSize(2)
                    .allMatch(PeerLostException.class::isInstance)
                    .anySatisfy(error ->
                            assertThat(error).hasMessageFindingMatch("lane 2 to rank [01] (was closed|failed)"));
            groups.forEach(ProcessGroup::close);
        }
        leaks.end(POOLED_BYTES);
    }

    /** Waits until rank 1 expects something on the lane. */
    private static void awaitPayload(LinkPair pair) {
        long until = System.nanoTime() + LIMIT.toNanos();
        boolean[] expects = {false};
        while (!expects[0]) {
            assertThat(System.nanoTime()).as("the time, waiting for a payload").isLessThan(until);
            pair.on1(() -> expects[0] = pair.lanes1.get(1).config().isAutoRead());
        }
    }
}
