package io.reactivecomm.netty.internal.life;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.netty.internal.link.RecordedEvents;
import io.reactivecomm.spi.link.PeerNews;
import org.junit.jupiter.api.Test;

/** The relay of news to an engine that comes later. */
class PeerNewsRelayTest {

    @Test
    void comparisonsOfClocks_areNotTold_toWhoDoesNotWantThem() {
        PeerNewsRelay relay = new PeerNewsRelay();
        RecordedEvents events = new RecordedEvents();
        PeerNews compared = new PeerNews.ClockCompared(1, 2, 3, 4);
        relay.tell(compared);
        relay.start(events);
        relay.tell(compared);
        assertThat(events.hearsOfClocks()).isFalse();
        assertThat(events.isEmpty()).isTrue();
    }
}
