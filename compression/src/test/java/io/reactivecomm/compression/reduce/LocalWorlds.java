package io.reactivecomm.compression.reduce;

import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;

/** Local worlds whose tensors are in the host's memory. */
interface LocalWorlds extends Worlds {

    @Override
    default WorldContract.World open(int size) {
        return WorldContract.World.of(ReactiveComm.local(size));
    }
}
