package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.ClosedGroupContract;

class LocalClosedGroupTest extends ClosedGroupContract implements LocalWorlds {

    @Override
    protected int tries() {
        return 2_500;
    }
}
