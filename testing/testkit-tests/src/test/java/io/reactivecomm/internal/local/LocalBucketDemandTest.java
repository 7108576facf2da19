package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.BucketDemandContract;

class LocalBucketDemandTest extends BucketDemandContract implements LocalWorlds {}
