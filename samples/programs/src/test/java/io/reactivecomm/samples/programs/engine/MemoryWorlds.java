package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;

/** Local worlds with the example engine, as the contracts want them. */
interface MemoryWorlds extends Worlds {

    @Override
    default WorldContract.World open(int size) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return WorldContract.World.of(ReactiveComm.local(size, settings.withBackend("memory")));
    }

    @Override
    default boolean areOverLinks() {
        return false;
    }
}
