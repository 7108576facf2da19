package io.reactivecomm.internal.group;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.HostPlace;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.TensorMemory;
import io.reactivecomm.internal.backend.Backends;
import io.reactivecomm.internal.backend.EngineOpening;
import io.reactivecomm.internal.base.CompilerFault;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.Engine;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.live.LivePublisher;
import io.reactivecomm.internal.live.ReportCodec;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.LayoutAdvice;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.switches.WorldSwitches;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.kernel.Kernels;
import io.reactivecomm.spi.LiveBoard;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.link.Mesh;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** Makes process groups over the links of a mesh. */
public final class Groups {

    private static final Logger LOG = WarningLog.of(Groups.class);
    private static final AtomicBoolean KERNELS_SAID = new AtomicBoolean();

    private Groups() {}

    /**
     * Loads what a world begins with, on a thread that may take its time: in a new JVM that is 40 ms, which else the loop takes. And before the ranks
     * meet: one that could not go on afterwards would leave the others with a peer that is gone.
     *
     * @throws io.reactivecomm.RendezvousException if a row of the choice of algorithms cannot be read
     */
    public static void prepare(CommConfig config) {
        Selection selection = Selection.DEFAULT.with(config.algorithms());
        Kernels.describe();
        new Plans(selection, EngineLimits.DEFAULT.eagerBytes());
        new Engine(0, List.of(), EngineLimits.DEFAULT, LOG::warn).close();
    }

    /**
     * {@return the group of all ranks, ready for calls; closing it closes the mesh}
     * Engines beside the one over links are opened on all ranks together; the mesh is closed if one cannot be on any rank, or if the subscriber
     * cancels before all are.
     *
     * @param config what it says of calls; where it says the ranks meet is of no account here
     */
    public static Mono<ProcessGroup> world(Mesh mesh, CommConfig config) {
        Selection selection;
        try {
            selection = Selection.DEFAULT.with(config.algorithms());
        } catch (CommException e) {
            mesh.close();
            return Mono.error(e);
        }
        return join(mesh, config, selection);
    }

    private static Mono<ProcessGroup> join(Mesh mesh, CommConfig config, Selection selection) {
        List<Integer> ranks = IntStream.range(0, mesh.worldSize()).boxed().toList();
        GroupState world =
                new GroupState(GroupState.WORLD, 0, ranks, mesh.rank(), Observers.ofWorld(config.observers()));
        GroupState controlGroup = new GroupState(GroupState.CONTROL, 0, ranks, mesh.rank());
        if (KERNELS_SAID.compareAndSet(false, true)) {
            LOG.info("{}", Kernels.describe());
            CompilerFault.warning().ifPresent(LOG::warn);
        }
        Layout layout = Layout.of(mesh.hosts(), ranks);
        if (mesh.rank() == 0) {
            LayoutAdvice.of(layout, config.bits()).ifPresent(LOG::warn);
        }
        EngineLimits limits = EngineLimits.DEFAULT;
        GroupTraits traits = new GroupTraits(
                new Plans(selection, limits.eagerBytes()),
                Backends.LINKS_ONLY,
                new WorldSwitches(mesh.rank(), Set.of()),
                config.callSites(),
                config.place().or(place(mesh, layout)),
                mesh.hosts(),
                config.objectBytes(),
                mesh instanceof TensorMemory memory ? memory : TensorMemory.NONE);
        RankDriver driver = new RankDriver(mesh, world, controlGroup, limits, config.dumps());
        driver.start();
        CallOptions options = new CallOptions("", config.timeout()).withBits(config.bits());
        ProcessGroup control = new LinksGroup(new Assembler(driver, controlGroup, traits), options);
        AtomicBoolean joined = new AtomicBoolean();
        Mono<ProcessGroup> joining = EngineOpening.of(config, control, mesh, driver::failedBeside)
                .map(backends -> new Assembler(
                                driver, world, traits.with(backends, new WorldSwitches(mesh.rank(), config.off())))
                        .watched())
                .<ProcessGroup>map(assembler -> new LinksGroup(assembler, options))
                .doOnNext(group -> {
                    joined.set(true);
                    tellWatchers(mesh, world, driver);
                    LOG.info(
                            "joined a world: rank={}, worldSize={}, backend={}",
                            mesh.rank(),
                            mesh.worldSize(),
                            config.backend());
                })
                .doOnError(error -> driver.close(world))
                // After what opens the engines has been cancelled; some operators cancel once they have their value.
                .doFinally(end -> {
                    if (end == SignalType.CANCEL && !joined.get()) {
                        driver.close(world);
                    }
                });
        return driver.watched(joining);
    }

    /** {@return a rank's place as the hosts of all ranks have it} */
    private static HostPlace place(Mesh mesh, Layout layout) {
        int host = layout.host(mesh.rank());
        return new HostPlace(mesh.host(), layout.local(mesh.rank()), layout.count(host), host, layout.hosts());
    }

    /** From here on those who watch the job hear of this rank, if there are any. */
    private static void tellWatchers(Mesh mesh, GroupState world, RankDriver driver) {
        LiveBoard board = mesh.board();
        if (board != null) {
            LivePublisher.Member member = new LivePublisher.Member(mesh.rank(), mesh.worldSize(), mesh.host());
            LivePublisher.start(
                    board,
                    mesh.loop(),
                    world.observers(),
                    member,
                    tell -> driver.look(engine -> tell.accept(
                            engine.inFlight(ReportCodec.MOST_CALLS, mesh.loop().nanoTime()))));
        }
    }
}
