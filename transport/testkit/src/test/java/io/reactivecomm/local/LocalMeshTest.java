package io.reactivecomm.local;

import io.reactivecomm.testkit.MeshContract;

class LocalMeshTest extends MeshContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
