package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BucketRowsContract;

class LocalBucketRowsTest extends BucketRowsContract implements LocalWorlds {}
