package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BucketReducerContract;

class LocalBucketReducerTest extends BucketReducerContract implements LocalWorlds {}
