package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The turns of those who wait for a place. */
class TurnsTest {

    @Test
    void places_areTakenInTheOrderOfArrival() {
        Turns<String> turns = new Turns<>(2);
        assertThat(turns.enter("a")).isTrue();
        assertThat(turns.enter("b")).isTrue();
        assertThat(turns.enter("c")).isFalse();
        assertThat(turns.enter("d")).isFalse();
        assertThat(turns.leave("b")).isEqualTo("c");
        assertThat(turns.leave("a")).isEqualTo("d");
        assertThat(turns.leave("c")).isNull();
        assertThat(turns.enter("e")).isTrue();
    }

    @Test
    void leave_ofOneThatWaitsOrIsUnknown_givesNoPlace() {
        Turns<String> turns = new Turns<>(1);
        assertThat(turns.enter("a")).isTrue();
        assertThat(turns.enter("b")).isFalse();
        assertThat(turns.enter("c")).isFalse();
        assertThat(turns.leave("b")).isNull();
        assertThat(turns.leave("unknown")).isNull();
        assertThat(turns.leave("a")).isEqualTo("c");
        assertThat(turns.leave("a")).isNull();
    }
}
