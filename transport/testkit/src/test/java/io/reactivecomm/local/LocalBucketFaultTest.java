package io.reactivecomm.local;

import io.reactivecomm.testkit.BucketFaultContract;

class LocalBucketFaultTest extends BucketFaultContract implements LocalWorlds {}
