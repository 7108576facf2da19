package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Bits;
import org.junit.jupiter.api.Test;

class LayoutAdviceTest {

    private static Layout inTurn(int hosts, int size) {
        return Layout.of(size, rank -> rank % hosts);
    }

    @Test
    void ranksInTurnOnHosts_areAdvisedOfWithWhatItCosts() {
        assertThat(LayoutAdvice.of(inTurn(2, 8), Bits.RANK_ORDER))
                .hasValueSatisfying(
                        text -> assertThat(text)
                                .contains(
                                        "2.5 times the bytes",
                                        "worldSize=8, hosts=2, ranks by host=[0, 2, 4, 6] [1, 3, 5, 7]; number the ranks of each host"));
        assertThat(LayoutAdvice.of(inTurn(16, 4096), Bits.RANK_ORDER))
                .hasValueSatisfying(text -> assertThat(text).hasSizeLessThan(600));
    }

    @Test
    void orderThatCostsNothing_isNotSpokenOf() {
        assertThat(LayoutAdvice.of(Layout.over(2, 8), Bits.RANK_ORDER)).isEmpty();
        assertThat(LayoutAdvice.of(Layout.together(8), Bits.RANK_ORDER)).isEmpty();
        assertThat(LayoutAdvice.of(Layout.apart(8), Bits.RANK_ORDER)).isEmpty();
        assertThat(LayoutAdvice.of(inTurn(3, 6), Bits.RANK_ORDER))
                .as("two ranks on each of three hosts move as much directly")
                .isEmpty();
        assertThat(LayoutAdvice.of(inTurn(2, 8), Bits.ANY_ORDER))
                .as("the advice is taken")
                .isEmpty();
    }
}
