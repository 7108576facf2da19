package io.reactivecomm.local;

import io.reactivecomm.testkit.BucketContract;

class LocalBucketTest extends BucketContract implements LocalWorlds {}
