package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.internal.schedule.choice.Offer;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LayoutTest {

    @Test
    void hosts_areNumberedAsTheyAppearInTheGroup() {
        List<Integer> hosts = List.of(0, 0, 1, 1, 2);
        Layout layout = Layout.of(hosts, List.of(3, 4, 0, 2));

        assertThat(IntStream.range(0, 4).map(layout::host)).containsExactly(0, 1, 2, 0);
        assertThat(layout).hasToString("[0, 3] [1] [2]").isEqualTo(Layout.of(4, rank -> rank == 3 ? 0 : rank));
        assertThat(layout.isConsecutive()).isFalse();
        assertThat(layout.mostPerHost()).isEqualTo(2);
        assertThat(layout.isBetweenHosts(0, 3)).isFalse();
        assertThat(layout.isBetweenHosts(0, 1)).isTrue();
    }

    @Test
    void groupsOfOneSize_onOtherHosts_haveOtherLayouts() {
        Layout pairs = Layout.over(2, 4);
        Layout uneven = Layout.of(4, rank -> rank / 3);

        assertThat(pairs)
                .isNotEqualTo(uneven)
                .isEqualTo(Layout.of(4, rank -> 7 - rank / 2))
                .hasSameHashCodeAs(Layout.of(4, rank -> rank / 2));
        assertThat(List.of(pairs, uneven, Layout.together(4), Layout.apart(4), Layout.of(4, rank -> rank % 2)))
                .extracting(Layout::fingerprint)
                .doesNotHaveDuplicates();
    }

    @Test
    void ranks_areSharedOutEvenly_longerHostsFirst() {
        assertThat(Layout.over(3, 8)).hasToString("[0, 1, 2] [3, 4, 5] [6, 7]");
        assertThat(Layout.over(1, 3)).isEqualTo(Layout.together(3));
        assertThat(Layout.over(3, 3)).isEqualTo(Layout.apart(3));
        assertThat(Layout.over(3, 8).isConsecutive()).isTrue();
    }

    @Test
    void place_goesAroundWhereAHostHasFewerRanks() {
        Layout layout = Layout.over(2, 5);

        assertThat(IntStream.range(0, 5).map(place -> layout.rank(1, place))).containsExactly(3, 4, 3, 4, 3);
        assertThat(layout.local(4)).isEqualTo(1);
        assertThat(layout.count(1)).isEqualTo(2);
    }

    @Test
    void schedules_thatGoByTheLayout_haveItInTheirFingerprint() {
        Offer chain = Example.offers()
                .filter(offer -> offer.name().equals("hierarchical-chain"))
                .findFirst()
                .orElseThrow();
        Offer flat = Example.offers()
                .filter(offer -> offer.name().equals("rank-order-direct"))
                .findFirst()
                .orElseThrow();

        assertThat(fingerprint(chain, Layout.over(2, 4)))
                .isNotEqualTo(fingerprint(chain, Layout.of(4, rank -> rank / 3)));
        assertThat(fingerprint(flat, Layout.over(2, 4))).isEqualTo(fingerprint(flat, Layout.of(4, rank -> rank / 3)));
    }

    private static long fingerprint(Offer offer, Layout layout) {
        return Example.all(offer, layout)
                .findFirst()
                .orElseThrow()
                .schedules()
                .getFirst()
                .fingerprint();
    }
}
