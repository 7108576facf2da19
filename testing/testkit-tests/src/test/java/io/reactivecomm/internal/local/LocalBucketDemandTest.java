package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BucketDemandContract;

class LocalBucketDemandTest extends BucketDemandContract implements LocalWorlds {}
