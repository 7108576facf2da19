package io.reactivecomm.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.CallKey.Ticket;
import java.util.List;
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
}
