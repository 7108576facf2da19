package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.ReactiveComm;
import io.reactivecomm.RendezvousException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Local worlds that no heap can hold. */
class LargeLocalWorldTest {

    @ParameterizedTest
    @ValueSource(ints = {1_000_000, Integer.MAX_VALUE})
    void local_beyondTheHeap_isRefusedByItsNumber(int worldSize) {
        assertThatThrownBy(() -> ReactiveComm.local(worldSize))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("worldSize=" + worldSize, "most=", "-Xmx");
    }

    @Test
    void heap_boundsTheSquareOfTheWorld() {
        assertThatCode(() -> LocalRanks.requireHeap(1000, 1_600_000_000L)).doesNotThrowAnyException();
        assertThatThrownBy(() -> LocalRanks.requireHeap(1001, 1_600_000_000L)).hasMessageContaining("most=1000");
    }
}
