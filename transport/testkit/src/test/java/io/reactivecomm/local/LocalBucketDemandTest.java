package io.reactivecomm.local;

import io.reactivecomm.testkit.BucketDemandContract;

class LocalBucketDemandTest extends BucketDemandContract implements LocalWorlds {}
