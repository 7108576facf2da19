package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BatchContract;

class LocalBatchTest extends BatchContract implements LocalWorlds {}
