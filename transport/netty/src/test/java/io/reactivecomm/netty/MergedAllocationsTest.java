package io.reactivecomm.netty;

import io.reactivecomm.Tensor;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.testkit.merge.MergedAllocations;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MergedAllocationsTest {

    private static final String COLD = "runs once for each connection";

    @Test
    void module_hasNone() {
        new MergedAllocations(Tensor.class, Handshake.class)
                .requireNone("io.reactivecomm.netty", Map.of("StoreByFile.host", COLD));
    }
}
