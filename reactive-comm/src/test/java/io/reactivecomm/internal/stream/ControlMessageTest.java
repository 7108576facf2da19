package io.reactivecomm.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ControlMessageTest {

    private final MemorySegment memory =
            MemorySegment.ofArray(new byte[ControlMessage.BYTES]).fill((byte) 0x5C);

    static Stream<ControlMessage> notes() {
        return Stream.of(
                new ControlMessage.Item(DType.FLOAT8_E5M2, List.of()),
                new ControlMessage.Item(DType.INT8, List.of(0L, Long.MAX_VALUE)),
                new ControlMessage.Item(
                        DType.FLOAT64,
                        LongStream.range(0, ControlMessage.MOST_DIMENSIONS)
                                .boxed()
                                .toList()),
                new ControlMessage.Last(),
                new ControlMessage.Complete(0),
                new ControlMessage.Complete(Long.MAX_VALUE),
                new ControlMessage.Broken(3, ""),
                new ControlMessage.Broken(3, "the disk is full: größe=0"),
                new ControlMessage.Credit(1),
                new ControlMessage.Credit(Long.MAX_VALUE),
                new ControlMessage.Cancelled(),
                new ControlMessage.Refused("no memory"),
                new ControlMessage.Done());
    }

    @ParameterizedTest
    @MethodSource("notes")
    void note_writtenAndRead_isTheSame(ControlMessage note) {
        note.write(memory);

        assertThat(ControlMessage.read(memory)).isEqualTo(note);
    }

    @ParameterizedTest(name = "letters={0}")
    @CsvSource({"1007", "1008", "1009", "5000"})
    void text_thatIsTooLong_isCutBetweenCharacters(int letters) {
        for (String letter : List.of("x", "ß", "水", "🌊")) {
            String text = letter.repeat(letters);
            new ControlMessage.Refused(text).write(memory);

            String read = ((ControlMessage.Refused) ControlMessage.read(memory)).text();

            assertThat(text).startsWith(read);
            assertThat(read.getBytes(StandardCharsets.UTF_8).length)
                    .isBetween(Math.min(letters, ControlMessage.MOST_TEXT_BYTES - 3), ControlMessage.MOST_TEXT_BYTES);
        }
    }

    @ParameterizedTest(name = "kind={0}, length={1}, value={2}")
    @CsvSource({
        "0, 0, 0",
        "9, 0, 0",
        "-1, 0, 0",
        "1, -1, 0",
        "1, 65, 0",
        "1, 2147483647, 0",
        "1, 0, 13",
        "1, 0, -1",
        "1, 0, 4294967296",
        "3, 0, -1",
        "4, 0, -1",
        "4, -1, 0",
        "4, 1009, 0",
        "5, 0, 0",
        "5, 0, -1",
        "7, 1009, 0",
        "7, -2147483648, 0"
    })
    void note_thatMakesNoSense_isRefused(int kind, int length, long value) {
        memory.set(ControlMessage.INT, ControlMessage.KIND, kind);
        memory.set(ControlMessage.INT, ControlMessage.LENGTH, length);
        memory.set(ControlMessage.LONG, ControlMessage.VALUE, value);

        assertThatExceptionOfType(InvalidCallException.class)
                .isThrownBy(() -> ControlMessage.read(memory))
                .withMessageContaining("makes no sense");
    }

    @Test
    void negativeDimension_isRefused() {
        new ControlMessage.Item(DType.INT8, List.of(2L, 3L)).write(memory);
        memory.set(ControlMessage.LONG, ControlMessage.REST + 8, -3);

        assertThatExceptionOfType(InvalidCallException.class)
                .isThrownBy(() -> ControlMessage.read(memory))
                .withMessageContaining("value=-3");
    }

    @Test
    void anyBytes_areANoteOrRefused() {
        long seed = 5;
        Random random = new Random(seed);
        byte[] bytes = new byte[ControlMessage.BYTES];
        for (int i = 0; i < 20_000; i++) {
            random.nextBytes(bytes);
            MemorySegment segment = MemorySegment.ofArray(bytes);
            segment.set(ControlMessage.INT, ControlMessage.KIND, random.nextInt(10));
            segment.set(ControlMessage.INT, ControlMessage.LENGTH, random.nextInt(80) - 5);
            try {
                ControlMessage.read(segment);
            } catch (InvalidCallException e) {
                assertThat(e).as("seed=%s", seed).hasMessageContaining("makes no sense");
            }
        }
    }
}
