package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The test of shares of samples. */
class DistributedSamplerTest {

    private static DistributedSampler sampler(int size, int rank, int ranks) {
        return new DistributedSampler(size, rank, ranks, 7, true, false);
    }

    @Test
    void samples_unevenSizes_arePaddedFromTheBeginning() {
        List<int[]> shares = IntStream.range(0, 4)
                .mapToObj(rank -> sampler(10, rank, 4).withShuffle(false).samples(0))
                .toList();

        assertThat(shares)
                .containsExactly(new int[] {0, 4, 8}, new int[] {1, 5, 9}, new int[] {2, 6, 0}, new int[] {3, 7, 1});
    }

    @Test
    void samples_dropLast_areCut() {
        List<int[]> shares = IntStream.range(0, 4)
                .mapToObj(rank -> sampler(10, rank, 4)
                        .withShuffle(false)
                        .withDropLast(true)
                        .samples(0))
                .toList();

        assertThat(shares).containsExactly(new int[] {0, 4}, new int[] {1, 5}, new int[] {2, 6}, new int[] {3, 7});
    }

    @Test
    void samples_moreRanksThanSamples_arePaddedSeveralTimes() {
        List<Integer> shares = IntStream.range(0, 8)
                .mapToObj(rank -> sampler(3, rank, 8).withShuffle(false).samples(0)[0])
                .toList();

        assertThat(shares).containsExactly(0, 1, 2, 0, 1, 2, 0, 1);
        assertThat(sampler(3, 0, 8).withDropLast(true).samples(0)).isEmpty();
    }

    /** The steps of torch's sampler, one by one: repeat, cut to the total, take every n-th. */
    private static List<Integer> oracle(List<Integer> permutation, int rank, int ranks, boolean dropsLast) {
        int size = permutation.size();
        int count = dropsLast && size % ranks != 0
                ? (int) Math.ceil((double) (size - ranks) / ranks)
                : (int) Math.ceil((double) size / ranks);
        int total = count * ranks;
        List<Integer> all = new ArrayList<>(permutation);
        while (all.size() < total) {
            all.addAll(permutation);
        }
        List<Integer> share = new ArrayList<>();
        for (int i = rank; i < total; i += ranks) {
            share.add(all.get(i));
        }
        return share;
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,5", "10,4", "12,4", "13,4", "100,7", "3,8", "9,10"})
    void samples_ofAnyPermutation_areDealtAsInTorch(int size, int ranks) {
        List<Integer> permutation = boxed(sampler(size, 0, 1).samples(3));
        for (boolean dropsLast : new boolean[] {false, true}) {
            for (int rank = 0; rank < ranks; rank++) {
                DistributedSampler sampler = sampler(size, rank, ranks).withDropLast(dropsLast);
                assertThat(boxed(sampler.samples(3))).isEqualTo(oracle(permutation, rank, ranks, dropsLast));
                assertThat(sampler.samples(3)).hasSize(sampler.count());
            }
        }
    }

    private static List<Integer> boxed(int[] values) {
        return Arrays.stream(values).boxed().toList();
    }

    @Test
    void permutations_areWhole_andDifferByEpochAndSeed() {
        DistributedSampler sampler = sampler(1000, 0, 1);
        List<Integer> first = boxed(sampler.samples(0));
        List<Integer> all = new ArrayList<>(first);
        Collections.sort(all);

        assertThat(all).isEqualTo(IntStream.range(0, 1000).boxed().toList());
        assertThat(first).isEqualTo(boxed(sampler.samples(0))).isNotEqualTo(boxed(sampler.samples(1)));
        assertThat(boxed(new DistributedSampler(1000, 0, 1, 8, true, false).samples(0)))
                .isNotEqualTo(first)
                .isNotEqualTo(boxed(sampler.samples(1)));
    }

    /** Each of three samples is first in a third of 3,000 epochs, within five standard deviations. */
    @Test
    void permutations_areUniform() {
        int[] counts = new int[3];
        for (int epoch = 0; epoch < 3000; epoch++) {
            counts[sampler(3, 0, 1).samples(epoch)[0]]++;
        }

        assertThat(counts)
                .satisfies(each ->
                        Arrays.stream(each).forEach(count -> assertThat(count).isBetween(871, 1129)));
    }

    @Test
    void ofGroup_takesRankAndSize() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            assertThat(new DistributedSampler(10, world.groups().get(1), 7)).isEqualTo(sampler(10, 1, 2));
        }
    }

    @Test
    void impossibleShares_areRejected() {
        assertThatThrownBy(() -> sampler(0, 0, 1)).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> sampler(1, 2, 2)).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> sampler(Integer.MAX_VALUE, 0, 2)).isInstanceOf(InvalidCallException.class);
        assertThat(sampler(Integer.MAX_VALUE - 1, 0, 3).count()).isEqualTo(715_827_882);
    }
}
