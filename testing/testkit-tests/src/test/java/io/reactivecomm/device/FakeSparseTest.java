package io.reactivecomm.device;

import io.reactivecomm.testkit.collective.SparseContract;
import org.junit.jupiter.api.Tag;

/** Sparse tensors whose indices and values are on a device. */
@Tag("repeated")
@Tag("thorough")
class FakeSparseTest extends SparseContract implements FakeWorlds {}
