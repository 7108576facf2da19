package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BucketFaultContract;

class LocalBucketFaultTest extends BucketFaultContract implements LocalWorlds {}
