package io.reactivecomm.local;

import io.reactivecomm.testkit.SubscriptionContract;

class LocalSubscriptionTest extends SubscriptionContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
