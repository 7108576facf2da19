package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.BucketStepContract;

class LocalBucketStepTest extends BucketStepContract implements LocalWorlds {}
