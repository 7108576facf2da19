package io.reactivecomm.local;

import io.reactivecomm.testkit.RowContract;

class LocalRowTest extends RowContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
