package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.BucketReducerContract;

class LocalBucketReducerTest extends BucketReducerContract implements LocalWorlds {}
