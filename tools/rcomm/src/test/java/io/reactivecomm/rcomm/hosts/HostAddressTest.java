package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostAddressTest {

    private static MemorySegment packetTo(String address) throws Exception {
        byte[] destination = InetAddress.getByName(address).getAddress();
        byte[] packet = new byte[64];
        packet[0] = (byte) (destination.length == 4 ? 0x45 : 0x60);
        System.arraycopy(destination, 0, packet, destination.length == 4 ? 16 : 24, destination.length);
        return MemorySegment.ofArray(packet);
    }

    @ParameterizedTest
    @CsvSource({
        "10.77.0.1, 0",
        "10.77.0.250, 249",
        "10.77.1.1, -1",
        "10.77.0.0, -1",
        "224.0.0.22, -1",
        "fd77::1, 0",
        "fd77::fa, 249",
        "fd77::1:1, -1",
        "fd77::, -1",
        "fd78::1, -1",
        "ff02::2, -1",
        "fd77::8000:0:0:1, -1"
    })
    void destination_isTheHostOfThatAddress(String address, int host) throws Exception {
        assertThat(HostAddress.destination(packetTo(address), 64)).isEqualTo(host);
    }

    @Test
    void destination_ofWhatIsNoPacket_isNobody() throws Exception {
        assertThat(HostAddress.destination(packetTo("10.77.0.1"), 19)).isEqualTo(HostAddress.NOBODY);
        assertThat(HostAddress.destination(packetTo("fd77::1"), 39)).isEqualTo(HostAddress.NOBODY);
        assertThat(HostAddress.destination(packetTo("10.77.0.1"), 0)).isEqualTo(HostAddress.NOBODY);
        assertThat(HostAddress.destination(MemorySegment.ofArray(new byte[64]), 64))
                .isEqualTo(HostAddress.NOBODY);
    }

    @Test
    void addresses_areThoseOfTheirHosts() throws Exception {
        for (int host : new int[] {0, 9, 16, 249}) {
            assertThat(HostAddress.destination(packetTo(HostAddress.v4(host)), 64))
                    .isEqualTo(host);
            assertThat(HostAddress.destination(packetTo(HostAddress.v6(host)), 64))
                    .isEqualTo(host);
        }
    }
}
