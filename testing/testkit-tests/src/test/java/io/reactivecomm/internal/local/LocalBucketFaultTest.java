package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.BucketFaultContract;

class LocalBucketFaultTest extends BucketFaultContract implements LocalWorlds {}
