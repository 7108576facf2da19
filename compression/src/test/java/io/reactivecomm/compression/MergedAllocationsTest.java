package io.reactivecomm.compression;

import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.merge.MergedAllocations;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MergedAllocationsTest {

    @Test
    void module_hasNone() {
        new MergedAllocations(Tensor.class, Codec.class).requireNone("io.reactivecomm.compression", Map.of());
    }
}
