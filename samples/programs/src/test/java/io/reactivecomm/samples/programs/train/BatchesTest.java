package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BatchesTest {

    @Test
    void of_unevenCount_hasEachImageOnce() {
        List<int[]> batches = Batches.of(1437, 32, 1);
        assertThat(batches).hasSize(45);
        assertThat(batches.getLast()).hasSize(1437 - 44 * 32);
        assertThat(batches.stream().flatMapToInt(IntStream::of).sorted().toArray())
                .containsExactly(IntStream.range(0, 1437).toArray());
    }

    @Test
    void of_sameSeed_hasTheSameOrder() {
        assertThat(Batches.of(100, 100, 5).getFirst())
                .containsExactly(Batches.of(100, 100, 5).getFirst());
        assertThat(Batches.of(100, 100, 6).getFirst())
                .isNotEqualTo(Batches.of(100, 100, 5).getFirst());
    }
}
