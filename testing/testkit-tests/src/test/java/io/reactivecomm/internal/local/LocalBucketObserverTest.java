package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BucketObserverContract;

class LocalBucketObserverTest extends BucketObserverContract implements LocalWorlds {}
