package io.reactivecomm.observability.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.observability.trace.ClockLine.Comparison;
import java.util.AbstractList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The offset of a clock between comparisons. */
class ClockLineTest {

    private static final long SECOND = 1_000_000_000;

    /** Comparisons that know how often one of them was looked at. */
    private static final class Counted extends AbstractList<Comparison> {

        private final List<Comparison> comparisons;
        private int looks;

        private Counted(List<Comparison> comparisons) {
            this.comparisons = comparisons;
        }

        @Override
        public Comparison get(int place) {
            looks++;
            return comparisons.get(place);
        }

        @Override
        public int size() {
            return comparisons.size();
        }
    }

    private static List<Comparison> comparisons(int count) {
        return LongStream.range(0, count)
                .mapToObj(each -> new Comparison(each * SECOND, each * 10, 5))
                .toList();
    }

    @Test
    void offset_isOnTheLineBetweenNeighbours_andThatOfTheEndsBeyond() {
        ClockLine line = new ClockLine(comparisons(4));
        assertThat(line.other(-7)).isEqualTo(-7);
        assertThat(line.other(0)).isZero();
        assertThat(line.other(SECOND / 2)).isEqualTo(SECOND / 2 + 5);
        assertThat(line.other(2 * SECOND)).isEqualTo(2 * SECOND + 20);
        assertThat(line.other(3 * SECOND - 1)).isEqualTo(3 * SECOND - 1 + 30);
        assertThat(line.other(9 * SECOND)).isEqualTo(9 * SECOND + 30);
        assertThat(new ClockLine(comparisons(1)).other(-3)).isEqualTo(-3);
    }

    /** Each event of a trace asks. */
    @Test
    void time_isFoundAmongManyComparisons_inAFewLooks() {
        Counted comparisons = new Counted(comparisons(10_000));
        ClockLine line = new ClockLine(comparisons);
        comparisons.looks = 0;
        assertThat(line.other(9_000 * SECOND)).isEqualTo(9_000 * SECOND + 90_000);
        assertThat(comparisons.looks).isLessThan(20);
    }
}
