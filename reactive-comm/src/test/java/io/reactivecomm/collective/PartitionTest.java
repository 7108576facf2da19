package io.reactivecomm.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Parts of a row: where they lie, when two partitions are one, and what tells them apart. */
class PartitionTest {

    @Test
    void parts_lieOneAfterTheOther() {
        Partition partition = Partition.of(3, 0, 5, 0);

        assertThat(partition.parts()).isEqualTo(4);
        assertThat(LongStream.range(0, 5)
                        .map(part -> partition.from((int) part))
                        .toArray())
                .containsExactly(0, 3, 3, 8, 8);
        assertThat(LongStream.range(0, 4)
                        .map(part -> partition.count((int) part))
                        .toArray())
                .containsExactly(3, 0, 5, 0);
        assertThat(partition.total()).isEqualTo(8);
        assertThat(partition.isEven()).isFalse();
        assertThat(partition).hasToString("[3, 0, 5, 0]");
    }

    @Test
    void equalParts_areEven_howeverTheCutWasMade() {
        assertThat(Partition.of(4, 4, 4)).isEqualTo(Partition.even(3, 4)).hasSameHashCodeAs(Partition.even(3, 4));
        assertThat(Partition.of(4, 4, 4).isEven()).isTrue();
        assertThat(Partition.of(7)).isEqualTo(Partition.whole(7)).hasToString("7");
        assertThat(Partition.of()).isEqualTo(Partition.nothing()).isEqualTo(Partition.even(0, 9));
        assertThat(Partition.nothing().total()).isZero();
        assertThat(Partition.nothing()).hasToString("[]");
        assertThat(Partition.even(3, 0).total()).isZero();
        assertThat(Partition.even(3, 5).from(2)).isEqualTo(10);
    }

    @Test
    void unevenCuts_areEqualByTheirParts() {
        assertThat(Partition.of(1, 2))
                .isEqualTo(Partition.of(1, 2))
                .isNotEqualTo(Partition.of(2, 1))
                .isNotEqualTo(Partition.of(1, 2, 0))
                .isNotEqualTo(Partition.whole(3));
        assertThat(Partition.of(1, 2)).hasSameHashCodeAs(Partition.of(1, 2));
    }

    @Test
    void fingerprints_tellCutsApart_andASinglePartHasNone() {
        Set<Long> seen = new HashSet<>();
        int partitions = 0;
        for (long a = 0; a < 12; a++) {
            for (long b = 0; b < 12; b++) {
                seen.add(Partition.of(a, b).fingerprint());
                seen.add(Partition.of(a, b, 0).fingerprint());
                partitions += 2;
            }
        }

        assertThat(seen).hasSize(partitions).doesNotContain(0L);
        assertThat(Partition.whole(5).fingerprint()).isZero();
        assertThat(Partition.nothing().fingerprint()).isZero();
        assertThat(Partition.of(4, 4).fingerprint())
                .isEqualTo(Partition.even(2, 4).fingerprint());
    }

    @Test
    void fingerprint_isTheSameInEveryProcess() {
        assertThat(Partition.of(3, 0, 5).fingerprint())
                .isEqualTo(Fingerprint.mix(Fingerprint.mix(Fingerprint.mix(3, 3), 0), 5));
        assertThat(Fingerprint.mix(0, 0)).isEqualTo(0xE220A8397B1DCDAFL);
    }

    @Test
    void text_ofVeryManyParts_isShort() {
        long[] many = LongStream.range(0, 5000).toArray();

        assertThat(Partition.of(many).toString())
                .startsWith("[0, 1, 2")
                .endsWith(", 15, … 5000 parts]")
                .hasSizeLessThan(100);
        assertThat(Partition.even(17, 1).toString()).endsWith("… 17 parts]");
    }
}
