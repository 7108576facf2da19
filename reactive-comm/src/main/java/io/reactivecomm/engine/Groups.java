package io.reactivecomm.engine;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.kernel.Kernels;
import io.reactivecomm.schedule.Selection;
import io.reactivecomm.spi.Mesh;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes process groups over the links of a mesh. */
public final class Groups {

    private static final long WORLD = 0;
    private static final Logger LOG = LoggerFactory.getLogger(Groups.class);
    private static final AtomicBoolean KERNELS_SAID = new AtomicBoolean();

    private Groups() {}

    /**
     * {@return the group of all ranks, ready for calls; closing it closes the mesh}
     *
     * @param timeout the deadline of calls
     * @param callSites whether calls carry the place in the program that assembled them
     */
    public static ProcessGroup world(Mesh mesh, Duration timeout, boolean callSites) {
        GroupState world = new GroupState(WORLD, 0, IntStream.range(0, mesh.worldSize()).boxed().toList(), mesh.rank());
        if (KERNELS_SAID.compareAndSet(false, true)) {
            LOG.info("{}", Kernels.describe());
        }
        EngineLimits limits = EngineLimits.DEFAULT;
        RankDriver driver = new RankDriver(mesh, world, limits);
        driver.start();
        LOG.info("joined a world: rank={}, worldSize={}, engine={}", mesh.rank(), mesh.worldSize(), Calls.BACKEND);
        Plans plans = new Plans(Selection.DEFAULT.within(limits.eagerBytes()));
        return new LinksGroup(new Assembler(driver, world, plans, callSites), "", timeout);
    }
}
