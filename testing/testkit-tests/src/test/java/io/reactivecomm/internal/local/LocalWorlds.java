package io.reactivecomm.internal.local;

import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;

/** Local worlds, as the contracts want them. */
interface LocalWorlds extends Worlds {

    @Override
    default boolean haveHeaders() {
        return false;
    }

    @Override
    default WorldContract.World open(int size) {
        return WorldContract.World.of(ReactiveComm.local(size));
    }
}
