package io.reactivecomm.netty.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.host.ThisHost;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class RosterTest {

    @Test
    void ranks_ofOneMachine_areCountedTogether_whateverTheirAddresses() {
        Roster roster = new Roster(
                new byte[Handshake.JOB_BYTES],
                List.of(entry(0, "10.0.0.1", "b"), entry(1, "10.0.0.1", "a"), entry(2, "10.0.0.3", "b")));
        assertThat(roster.ranksBeside(0)).isEqualTo(2);
        assertThat(roster.ranksBeside(1)).isEqualTo(1);
        assertThat(roster.ranksBeside(2)).isEqualTo(2);
        assertThat(roster.hosts()).containsExactly(0, 1, 0);
        assertThat(Roster.decode(roster.encode()).hosts()).isEqualTo(roster.hosts());
    }

    @Test
    void world_isTold_andTheNumberBehindItIsNot() {
        byte[] job = new byte[Handshake.JOB_BYTES];
        Roster roster = new Roster(job, List.of(entry(0, "10.0.0.1")));
        assertThat(roster.worldId())
                .hasSize(16)
                .isEqualTo(new Roster(job.clone(), List.of(entry(1, "10.0.0.2"))).worldId());
        job[15] = 1;
        String other = new Roster(job, List.of(entry(0, "10.0.0.1"))).worldId();
        assertThat(other).isNotEqualTo(new Roster(new byte[Handshake.JOB_BYTES], List.of()).worldId());
        assertThat(HexFormat.of().formatHex(job)).doesNotContain(other);
    }

    @Test
    void rosterOfTheLargestWorld_fitsIntoAReply() {
        String longest = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%interface15";
        List<Roster.Entry> entries = new ArrayList<>();
        for (int rank = 0; rank < Roster.MAX_WORLD_SIZE; rank++) {
            entries.add(new Roster.Entry(rank, Roster.MAX_WORLD_SIZE, longest, 65535, 65535, 1));
        }
        assertThat(new Roster(new byte[Handshake.JOB_BYTES], entries).encode().length + 1024)
                .isLessThan(StorePacket.MAX_REPLY_BYTES);
    }

    private static Roster.Entry entry(int rank, String host) {
        return entry(rank, host, host);
    }

    private static Roster.Entry entry(int rank, String host, String machine) {
        return new Roster.Entry(rank, 3, host, 1, 1, 0, 1, ThisHost.number(machine));
    }
}
