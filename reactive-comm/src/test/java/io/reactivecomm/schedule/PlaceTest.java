package io.reactivecomm.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceTest {

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4, 5, 6, 257, 1L << 40, Long.MAX_VALUE / 512})
    void chunks_joinUpToTheWhole_andDifferByOneAtMost(long count) {
        for (int size = 1; size <= 257; size += size < 9 ? 1 : 31) {
            Place place = new Place(count, 0, size, -1);
            long next = 0;
            for (int rank = 0; rank < size; rank++) {
                assertThat(place.chunkFrom(rank)).isEqualTo(next);
                assertThat(place.chunkCount(rank)).isBetween(count / size, count / size + 1);
                next += place.chunkCount(rank);
            }
            assertThat(next).isEqualTo(count);
        }
    }

    @Test
    void parts_followEachOther() {
        Place place = new Place(7, 2, 5, -1);

        assertThat(place.part(Buffer.OUTPUT, 0)).isEqualTo(new Span(Buffer.OUTPUT, 0, 7));
        assertThat(place.part(Buffer.OUTPUT, 3)).isEqualTo(new Span(Buffer.OUTPUT, 21, 7));
        assertThat(place.whole(Buffer.INPUT)).isEqualTo(new Span(Buffer.INPUT, 0, 7));
        assertThat(place.chunk(Buffer.INPUT, 2)).isEqualTo(new Span(Buffer.INPUT, 4, 1));
    }

    @Test
    void peers_beginWithTheNextRank() {
        assertThat(Peers.after(new Place(1, 3, 5, -1))).containsExactly(4, 0, 1, 2);
        assertThat(Peers.after(new Place(1, 0, 1, -1))).isEmpty();
    }
}
