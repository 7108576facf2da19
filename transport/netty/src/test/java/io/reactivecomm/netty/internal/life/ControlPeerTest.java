package io.reactivecomm.netty.internal.life;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Faults of control connections: whose they are. */
class ControlPeerTest {

    @Test
    void fault_ofTheConnectionOrOfWhatCame_isThePeers() {
        assertThat(ControlPeer.isOfThePeer(new IOException())).isTrue();
        assertThat(ControlPeer.isOfThePeer(new DecoderException(new DecoderException(new IOException()))))
                .isTrue();
        assertThat(ControlPeer.isOfThePeer(new DecoderException("too long"))).isTrue();
        assertThat(ControlPeer.isOfThePeer(new DecoderException(new IllegalStateException())))
                .isFalse();
    }

    @Test
    void fault_whoseCausesLeadBack_isThePeers() {
        DecoderException first = new DecoderException("first");
        first.initCause(new DecoderException(first));
        assertThat(ControlPeer.isOfThePeer(first)).isTrue();
    }
}
