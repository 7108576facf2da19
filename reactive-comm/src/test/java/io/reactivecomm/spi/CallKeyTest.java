package io.reactivecomm.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.CallKey.Ticket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Identities of calls: two are equal if all their parts are. */
class CallKeyTest {

    private static Enclosure in(long ticket) {
        return new Enclosure(new Ticket(0, 0, "outer", ticket, 1), 7);
    }

    @Test
    void ticket_isEqualOnlyToOneWithTheSameParts() {
        Ticket key = new Ticket(1, 2, 3, "name", 4, 5, in(6));
        List<Ticket> others = List.of(
                new Ticket(9, 2, 3, "name", 4, 5, in(6)),
                new Ticket(1, 9, 3, "name", 4, 5, in(6)),
                new Ticket(1, 2, 9, "name", 4, 5, in(6)),
                new Ticket(1, 2, 3, "none", 4, 5, in(6)),
                new Ticket(1, 2, 3, "name", 9, 5, in(6)),
                new Ticket(1, 2, 3, "name", 4, 9, in(6)),
                new Ticket(1, 2, 3, "name", 4, 5, in(9)));

        assertThat(others).as("one for each part").hasSameSizeAs(Ticket.class.getRecordComponents());
        assertThat(new Ticket(1, 2, 3, "name", 4, 5, in(6))).isEqualTo(key).hasSameHashCodeAs(key);
        assertThat(others).doesNotHaveDuplicates().allSatisfy(other -> {
            assertThat(other).isNotEqualTo(key);
            assertThat(other.hashCode()).isNotEqualTo(key.hashCode());
        });
        assertThat(key).isNotEqualTo(new Ticket(1, 2, 3, "name", 4, 5, null));
    }

    /** A hash table makes trees of bins that many fall into, and each look is a walk then. */
    @Test
    void runsOfCompositesInEachOther_fallIntoBinsOfTheirOwn() {
        Map<Integer, Integer> bins = new HashMap<>();
        for (int step = 1; step <= 1_000; step++) {
            Ticket outer = new Ticket(0, 1, "step", 0, step);
            Ticket inner = new Ticket(0, 1, "step", 0, step, new Enclosure(outer, 7));
            Ticket call = new Ticket(0, 1, "step", 0, step, new Enclosure(inner, 7));
            List.of(outer, inner, call).forEach(key -> bins.merge(bin(key), 1, Integer::sum));
        }
        assertThat(bins.values()).allMatch(keys -> keys < 8);
    }

    /** That of a {@link HashMap} of so many keys. */
    private static int bin(Ticket key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & 4_095;
    }
}
