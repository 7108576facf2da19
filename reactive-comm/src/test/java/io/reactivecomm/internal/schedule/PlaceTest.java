package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Partitions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceTest {

    private static Place place(int rank, int size, Partition input, Partition output) {
        return new Place(rank, Layout.apart(size), -1, new Partitions(input, output));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4, 5, 6, 257, 1L << 40, Long.MAX_VALUE / 512})
    void chunks_joinUpToTheWhole_andDifferByOneAtMost(long count) {
        for (int size = 1; size <= 257; size += size < 9 ? 1 : 31) {
            Place place = place(0, size, Partition.whole(count), Partition.whole(count));
            long next = 0;
            for (int rank = 0; rank < size; rank++) {
                Span chunk = place.chunk(Buffer.INPUT, rank);
                assertThat(chunk.from()).isEqualTo(next);
                assertThat(chunk.count()).isBetween(count / size, count / size + 1);
                next += chunk.count();
            }
            assertThat(next).isEqualTo(count);
        }
    }

    @Test
    void parts_followEachOther() {
        Place place = place(2, 5, Partition.whole(7), Partition.of(1, 2, 0, 4, 7));

        assertThat(place.part(Buffer.OUTPUT, 0)).isEqualTo(new Span(Buffer.OUTPUT, 0, 1));
        assertThat(place.part(Buffer.OUTPUT, 3)).isEqualTo(new Span(Buffer.OUTPUT, 3, 4));
        assertThat(place.whole(Buffer.INPUT)).isEqualTo(new Span(Buffer.INPUT, 0, 7));
        assertThat(place.whole(Buffer.SCRATCH)).isEqualTo(new Span(Buffer.SCRATCH, 0, 7));
        assertThat(place.chunk(Buffer.INPUT, 2)).isEqualTo(new Span(Buffer.INPUT, 4, 1));
    }

    @Test
    void peers_beginWithTheNextRank() {
        assertThat(PeerOrder.after(place(3, 5, Partition.whole(1), Partition.whole(1))))
                .containsExactly(4, 0, 1, 2);
        assertThat(PeerOrder.after(place(0, 1, Partition.whole(1), Partition.whole(1))))
                .isEmpty();
    }
}
