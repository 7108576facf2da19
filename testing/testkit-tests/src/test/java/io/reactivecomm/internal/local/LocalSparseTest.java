package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.SparseContract;

class LocalSparseTest extends SparseContract implements LocalWorlds {}
