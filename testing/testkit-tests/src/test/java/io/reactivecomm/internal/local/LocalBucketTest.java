package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.BucketContract;

class LocalBucketTest extends BucketContract implements LocalWorlds {}
