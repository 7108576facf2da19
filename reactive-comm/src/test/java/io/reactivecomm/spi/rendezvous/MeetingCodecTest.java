package io.reactivecomm.spi.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.Meeting;
import io.reactivecomm.RendezvousException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class MeetingCodecTest {

    private static final String MACHINE = "0123456789abcdef".repeat(4);

    private static InetAddress address(int... bytes) {
        byte[] raw = new byte[bytes.length];
        IntStream.range(0, bytes.length).forEach(i -> raw[i] = (byte) bytes[i]);
        try {
            return InetAddress.getByAddress(raw);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final InetAddress FOUR = address(10, 1, 255, 4);
    private static final InetAddress SIX = address(0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);

    static Stream<MeetingRecord> records() {
        return Stream.of(
                new MeetingRecord.Hello(0, 1, MACHINE, true, false, List.of(FOUR, SIX)),
                new MeetingRecord.Hello(0, 1, MACHINE, false, true, List.of()),
                new MeetingRecord.Hello(
                        0, 1, MACHINE, true, true, Collections.nCopies(MeetingCodec.MAX_ADDRESSES, SIX)),
                new MeetingRecord.Store(0, 1, FOUR, 65535, "0123456789abcdef"),
                new MeetingRecord.Store(0, 1, SIX, 1, null),
                new MeetingRecord.Ready(0, 1),
                new MeetingRecord.Failure(0, 1, 7, "keine Häfen frei"));
    }

    @ParameterizedTest
    @MethodSource("records")
    void record_isReadAsWritten(MeetingRecord record) {
        byte[] bytes = MeetingCodec.encode(record, 2);

        assertThat(bytes).hasSize(Meeting.RECORD_BYTES);
        assertThat(MeetingCodec.decodeAll(List.of(bytes), 1, 2)).containsExactly(record);
    }

    @Test
    void moreAddressesThanFit_areLeftOut() {
        MeetingRecord.Hello hello = new MeetingRecord.Hello(0, 1, MACHINE, true, true, Collections.nCopies(99, SIX));

        assertThat(MeetingCodec.decodeAll(List.of(MeetingCodec.encode(hello, 1)), 1, 1))
                .containsExactly(new MeetingRecord.Hello(
                        0, 1, MACHINE, true, true, Collections.nCopies(MeetingCodec.MAX_ADDRESSES, SIX)));
    }

    @Test
    void longText_endsWithAWholeCharacter() {
        for (int shift = 0; shift < 4; shift++) {
            String text = "x".repeat(shift) + "€".repeat(1000);
            MeetingRecord.Failure failure = new MeetingRecord.Failure(0, 1, 0, text);
            MeetingRecord read = MeetingCodec.decodeAll(List.of(MeetingCodec.encode(failure, 1)), 1, 1)
                    .getFirst();

            assertThat(((MeetingRecord.Failure) read).text())
                    .isEqualTo(text.substring(0, shift + (MeetingCodec.MAX_TEXT_BYTES - shift) / 3));
        }
    }

    @Test
    void failureOfWhoDoesNotKnowItsPlace_isRead() {
        MeetingRecord.Failure lost = new MeetingRecord.Failure(-1, 0, -1, "no communicator");

        assertThat(MeetingCodec.decodeAll(List.of(MeetingCodec.encode(lost, 1)), 1, 1))
                .containsExactly(lost);
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 1, its rank=0", "0, 3, 1, its size=2", "0, 2, 2, its round=1"})
    void recordOfAnotherPlace_isRefused(int index, int size, int round, String part) {
        List<byte[]> records = new ArrayList<>();
        IntStream.range(0, size)
                .forEach(rank -> records.add(MeetingCodec.encode(new MeetingRecord.Ready(rank, size), round)));
        records.set(index, MeetingCodec.encode(new MeetingRecord.Ready(0, 2), 1));

        assertThatThrownBy(() -> MeetingCodec.decodeAll(records, size, round))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("index=" + index, part);
    }

    /** Whatever a function makes of a record, it is read as one or refused, and the token in it is not shown. */
    @ParameterizedTest
    @MethodSource("records")
    void spoiledRecord_isRefusedOrRead(MeetingRecord record) {
        long seed = 42;
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            byte[] bytes = MeetingCodec.encode(record, 1);
            int changes = 1 + random.nextInt(4);
            for (int change = 0; change < changes; change++) {
                bytes[random.nextInt(random.nextBoolean() ? 64 : bytes.length)] = (byte) random.nextInt();
            }
            try {
                MeetingCodec.decodeAll(List.of(bytes), 1, 1);
            } catch (RendezvousException e) {
                assertThat(e)
                        .as("seed=%d", seed)
                        .hasMessageContaining("index=0")
                        .hasMessageNotContaining("0123456789abcdef");
            }
        }
    }

    @Test
    void token_isNotShown() {
        assertThat(new MeetingRecord.Store(0, 1, FOUR, 1, "secret").toString())
                .contains("10.1.255.4:1")
                .doesNotContain("secret");
        assertThat(new String(
                        MeetingCodec.encode(new MeetingRecord.Store(0, 1, FOUR, 1, "secret"), 2),
                        StandardCharsets.US_ASCII))
                .contains("secret");
    }
}
