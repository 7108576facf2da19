package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The turns of those who wait for a place. */
class TurnsTest {

    @Test
    void places_areTakenInTheOrderOfArrival() {
        Turns<String> turns = new Turns<>(2, 9);
        assertThat(turns.enter("a")).isEqualTo(Turns.Entry.PRESENT);
        assertThat(turns.enter("b")).isEqualTo(Turns.Entry.PRESENT);
        assertThat(turns.enter("c")).isEqualTo(Turns.Entry.WAITING);
        assertThat(turns.enter("d")).isEqualTo(Turns.Entry.WAITING);
        assertThat(turns.leave("b")).isEqualTo("c");
        assertThat(turns.leave("a")).isEqualTo("d");
        assertThat(turns.leave("c")).isNull();
        assertThat(turns.enter("e")).isEqualTo(Turns.Entry.PRESENT);
    }

    @Test
    void leave_ofOneThatWaitsOrIsUnknown_givesNoPlace() {
        Turns<String> turns = new Turns<>(1, 9);
        assertThat(turns.enter("a")).isEqualTo(Turns.Entry.PRESENT);
        assertThat(turns.enter("b")).isEqualTo(Turns.Entry.WAITING);
        assertThat(turns.enter("c")).isEqualTo(Turns.Entry.WAITING);
        assertThat(turns.leave("b")).isNull();
        assertThat(turns.leave("unknown")).isNull();
        assertThat(turns.leave("a")).isEqualTo("c");
        assertThat(turns.leave("a")).isNull();
    }

    @Test
    void enter_ofOneMoreThanTheQueueHolds_isFull() {
        Turns<String> turns = new Turns<>(1, 1);
        assertThat(turns.enter("a")).isEqualTo(Turns.Entry.PRESENT);
        assertThat(turns.enter("b")).isEqualTo(Turns.Entry.WAITING);
        assertThat(turns.enter("c")).isEqualTo(Turns.Entry.FULL);
        assertThat(turns.leave("c")).isNull();
        assertThat(turns.leave("a")).isEqualTo("b");
        assertThat(turns.enter("d")).isEqualTo(Turns.Entry.WAITING);
    }
}
