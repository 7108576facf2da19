package io.reactivecomm.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Parts of a row: where they lie, when two cuts are one, and what tells them apart. */
class CutTest {

    @Test
    void parts_lieOneAfterTheOther() {
        Cut cut = Cut.of(3, 0, 5, 0);

        assertThat(cut.parts()).isEqualTo(4);
        assertThat(LongStream.range(0, 5).map(part -> cut.from((int) part)).toArray()).containsExactly(0, 3, 3, 8, 8);
        assertThat(LongStream.range(0, 4).map(part -> cut.count((int) part)).toArray()).containsExactly(3, 0, 5, 0);
        assertThat(cut.total()).isEqualTo(8);
        assertThat(cut.isEven()).isFalse();
        assertThat(cut).hasToString("[3, 0, 5, 0]");
    }

    @Test
    void equalParts_areEven_howeverTheCutWasMade() {
        assertThat(Cut.of(4, 4, 4)).isEqualTo(Cut.even(3, 4)).hasSameHashCodeAs(Cut.even(3, 4));
        assertThat(Cut.of(4, 4, 4).isEven()).isTrue();
        assertThat(Cut.of(7)).isEqualTo(Cut.whole(7)).hasToString("7");
        assertThat(Cut.of()).isEqualTo(Cut.nothing()).isEqualTo(Cut.even(0, 9));
        assertThat(Cut.nothing().total()).isZero();
        assertThat(Cut.nothing()).hasToString("[]");
        assertThat(Cut.even(3, 0).total()).isZero();
        assertThat(Cut.even(3, 5).from(2)).isEqualTo(10);
    }

    @Test
    void unevenCuts_areEqualByTheirParts() {
        assertThat(Cut.of(1, 2)).isEqualTo(Cut.of(1, 2)).isNotEqualTo(Cut.of(2, 1)).isNotEqualTo(Cut.of(1, 2, 0)).isNotEqualTo(Cut.whole(3));
        assertThat(Cut.of(1, 2)).hasSameHashCodeAs(Cut.of(1, 2));
    }

    @Test
    void fingerprints_tellCutsApart_andASinglePartHasNone() {
        Set<Long> seen = new HashSet<>();
        int cuts = 0;
        for (long a = 0; a < 12; a++) {
            for (long b = 0; b < 12; b++) {
                seen.add(Cut.of(a, b).fingerprint());
                seen.add(Cut.of(a, b, 0).fingerprint());
                cuts += 2;
            }
        }

        assertThat(seen).hasSize(cuts).doesNotContain(0L);
        assertThat(Cut.whole(5).fingerprint()).isZero();
        assertThat(Cut.nothing().fingerprint()).isZero();
        assertThat(Cut.of(4, 4).fingerprint()).isEqualTo(Cut.even(2, 4).fingerprint());
    }

    @Test
    void fingerprint_isTheSameInEveryProcess() {
        assertThat(Cut.of(3, 0, 5).fingerprint()).isEqualTo(Fingerprint.mix(Fingerprint.mix(Fingerprint.mix(3, 3), 0), 5));
        assertThat(Fingerprint.mix(0, 0)).isEqualTo(0xE220A8397B1DCDAFL);
    }

    @Test
    void text_ofVeryManyParts_isShort() {
        long[] many = LongStream.range(0, 5000).toArray();

        assertThat(Cut.of(many).toString()).startsWith("[0, 1, 2").endsWith(", 15, … 5000 parts]").hasSizeLessThan(100);
        assertThat(Cut.even(17, 1).toString()).endsWith("… 17 parts]");
    }
}
