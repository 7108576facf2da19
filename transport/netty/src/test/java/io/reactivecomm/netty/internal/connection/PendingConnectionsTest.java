package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The pending connections that have to make room for a newcomer. */
class PendingConnectionsTest {

    private final PendingConnections<String> chamber = new PendingConnections<>(4);

    private static InetAddress source(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) number});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void enter_whileThereIsRoom_pushesNobodyOut() {
        assertThat(chamber.enter("a", source(1))).isNull();
        assertThat(chamber.enter("b", source(1))).isNull();
        assertThat(chamber.enter("c", source(2))).isNull();
        chamber.leave("a", source(1));
        assertThat(chamber.enter("d", source(3))).isNull();
        assertThat(chamber.enter("e", source(3))).isNull();
        assertThat(chamber.enter("f", source(3))).isNotNull();
    }

    @Test
    void enter_whenOneSourceHasMost_pushesOutItsOldest() {
        chamber.enter("rank", source(1));
        chamber.enter("a", source(2));
        chamber.enter("b", source(2));
        chamber.enter("c", source(2));
        assertThat(chamber.enter("second rank", source(3))).isEqualTo("a");
        assertThat(chamber.enter("d", source(2))).isEqualTo("b");
    }

    @Test
    void enter_whenAllComeFromOneSource_pushesOutTheOldest() {
        List<String> pushedOut = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            String leaver = chamber.enter("number " + i, source(1));
            if (leaver != null) {
                pushedOut.add(leaver);
            }
        }
        assertThat(pushedOut)
                .containsExactly(
                        "number 0", "number 1", "number 2", "number 3", "number 4", "number 5", "number 6", "number 7");
    }

    @Test
    void enter_whenEachComesFromElsewhere_pushesOutTheOldest() {
        for (int i = 1; i <= 4; i++) {
            chamber.enter("number " + i, source(i));
        }
        assertThat(chamber.enter("number 5", source(5))).isEqualTo("number 1");
        assertThat(chamber.enter("number 6", source(6))).isEqualTo("number 2");
    }

    @Test
    void leave_ofOneThatWasPushedOut_freesNoPlace() {
        for (int i = 1; i <= 5; i++) {
            chamber.enter("number " + i, source(1));
        }
        chamber.leave("number 1", source(1));
        assertThat(chamber.enter("number 6", source(1))).isEqualTo("number 2");
    }
}
