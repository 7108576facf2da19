package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class InterfaceTrafficTest {

    private static final String TABLE = """
            Inter-|   Receive                                                |  Transmit
             face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
                lo:    1000      10    0    0    0     0          0         0     1000      10    0    0    0     0       0          0
              eth0:396       4    0    3    0     0          0         0      110       1    0    5    0     0       0          0
            """;

    @Test
    void parse_readsTheHostsInterface() {
        assertThat(InterfaceTraffic.parse(TABLE)).isEqualTo(new InterfaceTraffic(110, 396, 8));
    }

    @Test
    void parse_withoutInterface_saysSo() {
        assertThatThrownBy(() -> InterfaceTraffic.parse("lo: 1 2 3"))
                .isInstanceOf(HostsException.class)
                .hasMessageContaining("interface=eth0");
    }

    @Test
    void line_saysWhatCameSince() {
        InterfaceTraffic traffic = new InterfaceTraffic(110, 396, 8);
        assertThat(traffic.since(new InterfaceTraffic(10, 96, 8)).line(1))
                .isEqualTo("host 1: sent 100 bytes, received 300");
        assertThat(traffic.line(0)).isEqualTo("host 0: sent 110 bytes, received 396, dropped 8 packets");
    }
}
