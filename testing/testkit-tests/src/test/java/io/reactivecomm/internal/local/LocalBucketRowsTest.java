package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.BucketRowsContract;

class LocalBucketRowsTest extends BucketRowsContract implements LocalWorlds {}
