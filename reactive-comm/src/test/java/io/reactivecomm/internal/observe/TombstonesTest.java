package io.reactivecomm.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import org.junit.jupiter.api.Test;

class TombstonesTest {

    private final Tombstones<CallKey> tombstones = new Tombstones<>(3);

    private static CallKey key(int ticket) {
        return new CallKey.Ticket(0, 0, "", ticket, 1);
    }

    private static Failure failure(String text) {
        return new Failure(Failure.Kind.MISMATCH, 0, text);
    }

    @Test
    void put_beyondTheBound_forgetsTheOldest() {
        for (int ticket = 0; ticket < 5; ticket++) {
            tombstones.put(key(ticket), failure("of " + ticket));
        }

        assertThat(tombstones.find(key(0))).isNull();
        assertThat(tombstones.find(key(1))).isNull();
        assertThat(tombstones.find(key(2))).isEqualTo(failure("of 2"));
        assertThat(tombstones.find(key(4))).isEqualTo(failure("of 4"));
    }

    @Test
    void put_ofASecondCause_keepsTheFirst() {
        tombstones.put(key(0), failure("first"));
        tombstones.put(key(0), failure("second"));

        assertThat(tombstones.find(key(0))).isEqualTo(failure("first"));
    }
}
