package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BucketStepContract;

class LocalBucketStepTest extends BucketStepContract implements LocalWorlds {}
