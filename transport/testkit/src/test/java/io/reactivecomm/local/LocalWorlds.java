package io.reactivecomm.local;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.WorldContract;
import java.util.List;

/** A local world as the contracts want it. */
record LocalWorlds(LocalWorld world) implements WorldContract.World {

    static LocalWorlds open(int size) {
        return new LocalWorlds(ReactiveComm.local(size));
    }

    @Override
    public List<ProcessGroup> groups() {
        return world.groups();
    }

    @Override
    public void close() {
        world.close();
    }
}
