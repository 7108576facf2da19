package io.reactivecomm.engine;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.schedule.Selection;
import io.reactivecomm.spi.Mesh;
import java.time.Duration;
import java.util.stream.IntStream;

/** Makes process groups over the links of a mesh. */
public final class Groups {

    private static final long WORLD = 0;

    private Groups() {}

    /**
     * {@return the group of all ranks, ready for calls; closing it closes the mesh}
     *
     * @param timeout the deadline of calls
     * @param callSites whether calls carry the place in the program that assembled them
     */
    public static ProcessGroup world(Mesh mesh, Duration timeout, boolean callSites) {
        GroupState world = new GroupState(WORLD, 0, IntStream.range(0, mesh.worldSize()).boxed().toList(), mesh.rank());
        EngineLimits limits = EngineLimits.DEFAULT;
        RankDriver driver = new RankDriver(mesh, world, limits);
        driver.start();
        Plans plans = new Plans(Selection.DEFAULT.within(limits.eagerBytes()));
        return new LinksGroup(new Assembler(driver, world, plans, callSites), "", timeout);
    }
}
