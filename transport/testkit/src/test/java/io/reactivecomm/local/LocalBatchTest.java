package io.reactivecomm.local;

import io.reactivecomm.testkit.BatchContract;

class LocalBatchTest extends BatchContract implements LocalWorlds {}
