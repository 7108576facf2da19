package io.reactivecomm.local;

import io.reactivecomm.testkit.SparseContract;

class LocalSparseTest extends SparseContract implements LocalWorlds {}
