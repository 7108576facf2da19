package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.netty.internal.connection.Handshake.Claim;
import io.reactivecomm.netty.internal.connection.Handshake.Purpose;
import io.reactivecomm.netty.internal.connection.Handshake.Terms;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The proofs of a greeting: each bit of what both ends have said counts. */
class HandshakeTest {

    private static final String TOKEN = "0123456789abcdefghijklmnop";
    private static final byte[] HERE = new byte[Handshake.HOST_BYTES];
    private static final byte[] BINDING = {1, 2, 3};
    private static final Claim CLAIM =
            new Claim(Purpose.DATA, Handshake.KNOCKING_VERSION, 3, 0, 1, new byte[Handshake.JOB_BYTES]);

    private static Terms terms(Encryption encryption, boolean isWithinHost) {
        return Terms.of(encryption, isWithinHost, HERE);
    }

    private final byte[] hello =
            Handshake.hello(Handshake.KNOCKING_VERSION, Purpose.DATA, terms(Encryption.BETWEEN_HOSTS, false));
    private final byte[] challenge =
            Handshake.challenge(Handshake.KNOCKING_VERSION, Purpose.DATA, terms(Encryption.BETWEEN_HOSTS, false));
    private final Handshake dialer = new Handshake(TOKEN, hello, challenge);

    private static byte[] altered(byte[] packet, int at) {
        byte[] other = packet.clone();
        other[at] ^= 1;
        return other;
    }

    @Test
    void greeting_ofTwoEndsThatShareTheToken_isAccepted() {
        Handshake listener = new Handshake(TOKEN, hello, challenge);
        assertThat(listener.takesKnock(dialer.knock(true, 3))).isTrue();
        assertThat(listener.isTls()).isTrue();
        assertThat(listener.knocker()).isEqualTo(3);
        assertThat(listener.takesProof(dialer.proof(CLAIM, BINDING), BINDING)).isTrue();
        assertThat(listener.claim()).usingRecursiveComparison().isEqualTo(CLAIM);
        assertThat(dialer.confirms(listener.admitted(BINDING), BINDING)).isTrue();
    }

    @Test
    void knock_coversEachByteOfBothGreetings() {
        byte[] knock = dialer.knock(true, 3);
        for (int at = 0; at < hello.length; at++) {
            assertThat(new Handshake(TOKEN, altered(hello, at), challenge).takesKnock(knock))
                    .as("byte %d of HELLO", at)
                    .isFalse();
            assertThat(new Handshake(TOKEN, hello, altered(challenge, at)).takesKnock(knock))
                    .as("byte %d of CHALLENGE", at)
                    .isFalse();
        }
        for (int at = 0; at < knock.length; at++) {
            assertThat(new Handshake(TOKEN, hello, challenge).takesKnock(altered(knock, at)))
                    .as("byte %d of KNOCK", at)
                    .isFalse();
        }
        assertThat(new Handshake("another token of many bytes", hello, challenge).takesKnock(knock))
                .isFalse();
        assertThat(new Handshake(null, hello, challenge).takesKnock(knock)).isFalse();
    }

    @Test
    void proof_coversTheChannelAndTheClaim() {
        byte[] knock = dialer.knock(true, 3);
        byte[] proof = dialer.proof(CLAIM, BINDING);
        Handshake listener = new Handshake(TOKEN, hello, challenge);
        assertThat(listener.takesKnock(knock)).isTrue();
        assertThat(listener.takesProof(proof, altered(BINDING, 0))).isFalse();
        assertThat(listener.takesProof(proof, new byte[0])).isFalse();
        for (int at = 0; at < proof.length; at++) {
            assertThat(listener.takesProof(altered(proof, at), BINDING))
                    .as("byte %d of PROOF", at)
                    .isFalse();
        }
        assertThat(listener.takesProof(proof, BINDING)).isTrue();
        byte[] admitted = listener.admitted(BINDING);
        assertThat(dialer.confirms(admitted, altered(BINDING, 0))).isFalse();
        assertThat(dialer.confirms(listener.admitted(altered(BINDING, 1)), BINDING))
                .isFalse();
        assertThat(dialer.confirms(altered(admitted, admitted.length - 1), BINDING))
                .isFalse();
    }

    @Test
    void proofs_ofOneRole_areNoneOfAnother() {
        byte[] knock = dialer.knock(false, 3);
        byte[] proof = dialer.proof(CLAIM, new byte[0]);
        Handshake listener = new Handshake(TOKEN, hello, challenge);
        assertThat(listener.takesKnock(proof)).isFalse();
        assertThat(listener.takesKnock(knock)).isTrue();
        assertThat(listener.takesProof(knock, new byte[0])).isFalse();
        byte[] reflected = Arrays.copyOf(Handshake.ready(), 40);
        reflected[PacketDecoder.TYPE_OFFSET] = Handshake.ADMITTED;
        System.arraycopy(proof, proof.length - 32, reflected, 8, 32);
        assertThat(dialer.confirms(reflected, new byte[0])).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void mode_thatIsWeakerThanDemanded_isAConflict(boolean dialerDemands) {
        byte[] first = Handshake.hello(
                Handshake.KNOCKING_VERSION, Purpose.DATA, terms(Encryption.BETWEEN_HOSTS, !dialerDemands));
        byte[] second = Handshake.challenge(
                Handshake.KNOCKING_VERSION, Purpose.DATA, terms(Encryption.BETWEEN_HOSTS, dialerDemands));
        Handshake weak = new Handshake(TOKEN, first, second);
        weak.knock(false, 3);
        assertThat(weak.conflict("rank 1", TOKEN)).contains("TLS is demanded", "rank=3");
        Handshake right = new Handshake(TOKEN, first, second);
        right.knock(true, 3);
        assertThat(right.conflict("rank 1", TOKEN)).isNull();
        assertThat(right.conflict("rank 1", "short")).contains("too short for TLS", "characters=5", "least=22");
    }

    @Test
    void plaintextAtOneEnd_isAConflictThatNamesBoth() {
        byte[] plain = Handshake.hello(Handshake.KNOCKING_VERSION, Purpose.DATA, terms(Encryption.OFF, false));
        Handshake one = new Handshake(TOKEN, plain, challenge);
        one.knock(true, 3);
        assertThat(one.conflict("rank 1", TOKEN)).contains("with=rank 3", "without=rank 1");
        byte[] plainToo = Handshake.challenge(Handshake.KNOCKING_VERSION, Purpose.DATA, terms(Encryption.OFF, false));
        Handshake other = new Handshake(TOKEN, hello, plainToo);
        other.knock(true, 3);
        assertThat(other.conflict("the store", TOKEN)).contains("with=the store", "without=rank 3");
        Handshake both = new Handshake(TOKEN, plain, plainToo);
        both.knock(false, 3);
        assertThat(both.isTlsDemanded()).isFalse();
        assertThat(both.conflict("rank 1", "t")).isNull();
    }
}
