package io.reactivecomm.shm;

import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.merge.MergedAllocations;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MergedAllocationsTest {

    private static final String COLD = "runs once for each connection";
    private static final String KEPT = "the lease keeps the copy, whenever it was made";

    @Test
    void module_hasNone() {
        new MergedAllocations(Tensor.class, ShmMesh.class)
                .requireNone(
                        "io.reactivecomm.shm",
                        Map.of(
                                "CopyPool.of", KEPT,
                                "OutgoingPayloads.copy", KEPT,
                                "OutgoingPayloads.write", KEPT,
                                "ShmUpgrade$Negotiation.reach", COLD,
                                "ShmSetup.open", COLD));
    }
}
