package io.reactivecomm;

import io.reactivecomm.internal.base.Dependencies;
import java.util.ServiceLoader;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/**
 * The entry: join a world of processes, or make one inside this JVM.
 *
 * <pre>{@code
 * try (LocalWorld world = ReactiveComm.local(2)) {
 *     Mono<Work> both = Flux.fromIterable(world.groups())
 *             .flatMap(group -> group.allReduce(Tensor.of(new float[] {group.rank(), 1}), ReduceOp.SUM))
 *             .last();
 *     both.block();
 * }
 * }</pre>
 */
public final class ReactiveComm {

    private ReactiveComm() {}

    /**
     * Joins the world that the launcher's environment names: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, or what torchrun, Open MPI,
     * MPICH, Slurm or a Kubernetes Indexed Job set in their stead. Where RCOMM_BACKEND names an engine whose library gathers by itself, and MASTER_ADDR is
     * not set, ranks meet by that library.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription joins anew. Cancelling gives up the attempt and frees what it held.
     *
     * <p><b>Errors.</b> {@link RendezvousException} if the environment is incomplete, the ranks do not find each other, or an older Netty, Reactor or
     * Jackson is first on the class path.
     */
    public static Mono<ProcessGroup> connect() {
        return connect(UnaryOperator.identity());
    }

    /**
     * As {@link #connect()}, with changes.
     *
     * @param change changes the configuration that follows from the environment
     */
    public static Mono<ProcessGroup> connect(UnaryOperator<CommConfig> change) {
        return Mono.defer(() -> provider().connect(System.getenv(), change));
    }

    /** As {@link #connect()}, with the place given instead of discovered. */
    public static Mono<ProcessGroup> connect(CommConfig config) {
        return Mono.defer(() -> provider().connect(config));
    }

    /**
     * Makes a world of {@code worldSize} ranks in this JVM, ready for use.
     *
     * @throws IllegalArgumentException if {@code worldSize} is below 1
     * @throws RendezvousException if the heap cannot hold so many, or an older Reactor or Jackson is first on the class path
     */
    public static LocalWorld local(int worldSize) {
        return provider().local(worldSize);
    }

    /**
     * As {@link #local(int)}, with settings.
     *
     * @param settings what it says of calls, such as their deadline; its rank and address are of no account
     */
    public static LocalWorld local(int worldSize, CommConfig settings) {
        return provider().local(worldSize, settings);
    }

    private static WorldProvider provider() {
        Dependencies.fault().ifPresent(fault -> {
            throw new RendezvousException(fault);
        });
        return ServiceLoader.load(WorldProvider.class, ReactiveComm.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new CommException(
                        "no WorldProvider on the class path: provider=none; keep META-INF/services of reactive-comm when repackaging"));
    }
}
