package io.reactivecomm;

import io.reactivecomm.internal.base.Dependencies;
import io.reactivecomm.internal.base.Providers;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
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
     * MPICH, Slurm, Kubeflow Trainer, a Kubernetes Indexed Job or SageMaker set instead. Where RCOMM_BACKEND names an engine whose library has an all-gather of its own, and MASTER_ADDR is
     * not set, ranks meet by that library. Settings that the environment lacks are those of the file that RCOMM_CONFIG names, if it names one.
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
        Objects.requireNonNull(change, "change");
        return Mono.defer(() -> provider().connect(System.getenv(), change));
    }

    /** As {@link #connect()}, with the place given instead of discovered. */
    public static Mono<ProcessGroup> connect(CommConfig config) {
        Objects.requireNonNull(config, "config");
        return Mono.defer(() -> provider().connect(config));
    }

    /**
     * Runs a program in the world of that configuration and leaves the world as the program ends.
     *
     * <pre>{@code
     * float loss = ReactiveComm.using(config, group -> train(group));
     * }</pre>
     *
     * <p>When the program returns, the group is {@linkplain ProcessGroup#close closed}. When it throws, the group is {@linkplain ProcessGroup#abort aborted} with
     * the text of what was thrown, and then closed: calls of the other ranks fail with a {@link GroupClosedException} that names this rank and that
     * text. With {@code try (ProcessGroup group = …)} they would only learn that this rank has left. Groups that the program made of the group end likewise.
     *
     * <p><b>Threads.</b> Blocks: while the ranks find each other, while the program runs, on this thread, and for up to about a second at the end. An
     * interrupted thread ends the group all the same, and remains interrupted.
     *
     * <p><b>Errors.</b> What the program throws, checked exceptions and errors too; what fails in ending the group then is suppressed in it. What
     * {@link #connect(CommConfig)} signals; the program does not run then.
     *
     * @return what the program returns; null from one that has no result
     */
    public static <T extends @Nullable Object, E extends Exception> T using(
            CommConfig config, GroupProgram<T, E> program) throws E {
        Objects.requireNonNull(program, "program");
        return GroupUse.run(connect(config), program);
    }

    /** As {@link #using(CommConfig, GroupProgram)}, in the world that the launcher's environment names. */
    public static <T extends @Nullable Object, E extends Exception> T using(GroupProgram<T, E> program) throws E {
        Objects.requireNonNull(program, "program");
        return GroupUse.run(connect(), program);
    }

    /**
     * As {@link #using(CommConfig, GroupProgram)}, with a group from elsewhere: {@link #connect(UnaryOperator)}, or {@link ProcessGroup#newGroup}, whose end then is
     * that of the new group alone.
     *
     * <p><b>Errors.</b> {@link InvalidCallException} if no group is emitted, as by {@link ProcessGroup#newGroup} on a rank that is not a member.
     */
    public static <T extends @Nullable Object, E extends Exception> T using(
            Mono<ProcessGroup> connecting, GroupProgram<T, E> program) throws E {
        Objects.requireNonNull(connecting, "connecting");
        Objects.requireNonNull(program, "program");
        return GroupUse.run(connecting, program);
    }

    /**
     * As {@link #using(CommConfig, GroupProgram)}, for a program that is a {@code Mono} and does not block.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription joins anew and asks for the program's {@code Mono} once. When that completes, the group is closed,
     * and then the result is emitted. When it fails, or the function throws, the group is aborted with the text of the error. When the subscriber cancels, the
     * group is aborted, too, with a text that says so, because other ranks may wait for this one. Without demand for its result, the program's {@code Mono}
     * may not end, and then the group stays open until the subscriber requests or cancels.
     *
     * <p><b>Threads.</b> The function is called on the group's loop and must not block. Signals come on a thread that may block.
     *
     * <p><b>Errors.</b> The program's; what fails in ending the group then is suppressed in it. What {@link #connect(CommConfig)} signals.
     */
    public static <T> Mono<T> usingWhen(
            CommConfig config, Function<? super ProcessGroup, ? extends Mono<? extends T>> program) {
        Objects.requireNonNull(program, "program");
        return GroupUse.mono(connect(config), program);
    }

    /** As {@link #usingWhen(CommConfig, Function)}, in the world that the launcher's environment names. */
    public static <T> Mono<T> usingWhen(Function<? super ProcessGroup, ? extends Mono<? extends T>> program) {
        Objects.requireNonNull(program, "program");
        return GroupUse.mono(connect(), program);
    }

    /** As {@link #usingWhen(CommConfig, Function)}, with a group from elsewhere; empty if no group is emitted. */
    public static <T> Mono<T> usingWhen(
            Mono<ProcessGroup> connecting, Function<? super ProcessGroup, ? extends Mono<? extends T>> program) {
        Objects.requireNonNull(connecting, "connecting");
        Objects.requireNonNull(program, "program");
        return GroupUse.mono(connecting, program);
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
        Objects.requireNonNull(settings, "settings");
        return provider().local(worldSize, settings);
    }

    static WorldProvider provider() {
        Dependencies.fault().ifPresent(fault -> {
            throw new RendezvousException(fault);
        });
        Providers<WorldProvider> providers = Providers.of(WorldProvider.class);
        return providers.loaded().stream()
                .findFirst()
                .orElseThrow(() -> new CommException("no WorldProvider on the class path: provider=none"
                        + providers.failuresText()
                        + "; keep META-INF/services of reactive-comm when repackaging"));
    }
}
