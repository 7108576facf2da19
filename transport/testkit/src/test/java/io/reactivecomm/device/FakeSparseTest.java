package io.reactivecomm.device;

import io.reactivecomm.testkit.SparseContract;

/** Sparse tensors whose indices and values are on a device. */
class FakeSparseTest extends SparseContract implements FakeWorlds {}
