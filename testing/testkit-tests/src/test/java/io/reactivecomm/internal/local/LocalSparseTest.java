package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.SparseContract;

class LocalSparseTest extends SparseContract implements LocalWorlds {}
