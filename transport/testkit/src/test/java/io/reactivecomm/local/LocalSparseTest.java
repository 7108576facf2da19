package io.reactivecomm.local;

import io.reactivecomm.testkit.SparseContract;

class LocalSparseTest extends SparseContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
