package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.BucketObserverContract;

class LocalBucketObserverTest extends BucketObserverContract implements LocalWorlds {}
