package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;
import java.util.List;

/** Local worlds with the example engine, as the contracts want them. */
interface MemoryWorlds extends Worlds {

    @Override
    default WorldContract.World open(int size) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return new Ranks(ReactiveComm.local(size, settings.withBackend("memory")));
    }

    @Override
    default boolean areOverLinks() {
        return false;
    }

    /** The ranks of one. */
    record Ranks(LocalWorld world) implements WorldContract.World {

        @Override
        public List<ProcessGroup> groups() {
            return world.groups();
        }

        @Override
        public void close() {
            world.close();
        }
    }
}
