package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.stream.BatchContract;

class LocalBatchTest extends BatchContract implements LocalWorlds {}
