package io.reactivecomm.internal.local;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;
import java.util.List;

/** Local worlds, as the contracts want them. */
interface LocalWorlds extends Worlds {

    @Override
    default WorldContract.World open(int size) {
        return new Ranks(ReactiveComm.local(size));
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
