package io.reactivecomm.local;

import io.reactivecomm.testkit.DisagreementContract;

class LocalDisagreementTest extends DisagreementContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
