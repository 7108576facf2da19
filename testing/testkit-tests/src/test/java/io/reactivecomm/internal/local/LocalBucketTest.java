package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BucketContract;

class LocalBucketTest extends BucketContract implements LocalWorlds {}
