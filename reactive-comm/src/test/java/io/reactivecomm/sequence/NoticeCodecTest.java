package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.engine.GroupKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Notices survive the way, and bytes that are none are refused. */
class NoticeCodecTest {

    private static final int WORLD_SIZE = 300;
    private static final GroupKey GROUP = new GroupKey(2, -77);
    private static final CallKey.Ticket KEY = new CallKey.Ticket(2, -77, "layer1.weight λ", 300, 2);
    private static final CallKey.Ticket RUN = new CallKey.Ticket(2, -77, "step", 41, 3);
    /** In a composite of its own group, which is in one of another. */
    private static final CallKey.Ticket ENCLOSED = new CallKey.Ticket(
            2,
            -77,
            "",
            1,
            1,
            new Enclosure(
                    new CallKey.Ticket(
                            2,
                            -77,
                            "bucket",
                            0,
                            1,
                            new Enclosure(new CallKey.Ticket(0, 0, "step", 41, 3), 0, "training step")),
                    0,
                    "bucket"));

    private static final CallKey.Ticket STEPPED = new CallKey.Ticket(2, -77, 12, "layer1.weight λ", 0, 1, null);
    private static final CallKey.Message MESSAGE = new CallKey.Message(2, -77, 5, "λ", -4, 3, 299, 9, null);
    private static final CallKey.Message FROM_ANY =
            new CallKey.Message(2, -77, "", 4, -1, 0, 1, new Enclosure(RUN, 0, "step"));
    private static final Failure FAILURE = new Failure(Failure.Kind.TIMEOUT, 7, "too late", List.of(1, 299));
    private static final Signature SIGNATURE =
            new Signature(Operation.ALL_REDUCE, DType.BFLOAT16, 1L << 40, Signature.NO_ROOT, ReduceOp.SUM);

    static List<Notice> notices() {
        return List.of(
                new Notice.Introduced(
                        GROUP, IntStream.range(0, WORLD_SIZE).boxed().toList()),
                new Notice.Ready(KEY, Integer.MIN_VALUE, SIGNATURE, ""),
                new Notice.Ready(
                        new CallKey.Ticket(0, Long.MAX_VALUE, "", Long.MAX_VALUE, Integer.MAX_VALUE),
                        Integer.MAX_VALUE,
                        new Signature(Operation.GATHER, DType.BOOL, Signature.UNEVEN, 3, null, -1),
                        "gather(BOOL × …, root=3)"),
                new Notice.Refused(KEY, FAILURE),
                new Notice.Failed(KEY, FAILURE),
                new Notice.Ended(GROUP, FAILURE, true),
                new Notice.Ended(GROUP, FAILURE, false),
                new Notice.Ended(GROUP, FAILURE, true, true),
                new Notice.Asked(KEY),
                new Notice.Waiting(KEY, List.of(0, 5), "rank 0 last issued nothing", true),
                new Notice.Batch(
                        Long.MAX_VALUE,
                        List.of(
                                new NameReference.New(KEY),
                                new NameReference.Again(GROUP, 1023, -1, 1),
                                new NameReference.Again(new GroupKey(0, 0), 0, Long.MIN_VALUE, 5),
                                new NameReference.New(KEY))),
                new Notice.Ready(ENCLOSED, 0, SIGNATURE, ""),
                new Notice.Failed(ENCLOSED, FAILURE, 2),
                new Notice.Wanted(ENCLOSED),
                new Notice.Wanted(STEPPED),
                new Notice.Assembled(STEPPED),
                new Notice.Refused(
                        new CallKey.Ticket(0, 0, Long.MAX_VALUE, "", 0, 1, new Enclosure(STEPPED, 0, "in a step")),
                        FAILURE),
                new Notice.Batch(
                        2,
                        List.of(new NameReference.New(STEPPED), new NameReference.Again(GROUP, 1, 0, 1, 1, List.of()))),
                new Notice.Over(RUN, true, FAILURE),
                new Notice.Over(RUN, false, FAILURE),
                new Notice.Batch(
                        1,
                        List.of(
                                new NameReference.New(ENCLOSED),
                                new NameReference.Again(
                                        GROUP,
                                        3,
                                        0,
                                        7,
                                        1,
                                        List.of(new NameReference.RunStep(0, 1), new NameReference.RunStep(-1, 4))))),
                new Notice.Ready(MESSAGE, 0, SIGNATURE, "send(BFLOAT16 × 1)"),
                new Notice.Ready(KEY, 0, true, SIGNATURE, "coalesced(…)", Map.of(0, Long.MIN_VALUE, 3, 5L)),
                new Notice.LeftOut(MESSAGE, FAILURE),
                new Notice.SentElsewhere(MESSAGE, FAILURE),
                new Notice.Failed(FROM_ANY, FAILURE, 1),
                new Notice.Batch(
                        4,
                        List.of(
                                new NameReference.Paired(MESSAGE, 3, 9),
                                new NameReference.New(KEY),
                                new NameReference.Paired(FROM_ANY, 3, 0))),
                new Notice.Introduced(GROUP, List.of(1, 2), List.of(new GroupKey(0, 7), GROUP)),
                new Notice.Opening(3, GROUP, List.of(5, 2), null, List.of()),
                new Notice.Opening(Long.MAX_VALUE, GROUP, List.of(5, 2), new GroupKey(2, 0), List.of(0, 2, 5)),
                new Notice.Done(4, GROUP),
                new Notice.Closed(GROUP),
                new Notice.Freeing(5, GROUP),
                new Notice.Left(),
                new Notice.Left(FAILURE));
    }

    private static Notice read(byte[] bytes) {
        return NoticeReader.read(
                ByteBuffer.wrap(bytes, NoticeLayout.LENGTH_BYTES, bytes.length - NoticeLayout.LENGTH_BYTES)
                        .slice(),
                WORLD_SIZE);
    }

    @ParameterizedTest
    @MethodSource("notices")
    void notice_isReadAsItWasWritten(Notice notice) {
        assertThat(read(NoticeWriter.bytes(notice))).isEqualTo(notice);
    }

    @ParameterizedTest
    @MethodSource("notices")
    void notice_cutShortOrTooLong_isRefused(Notice notice) {
        byte[] bytes = NoticeWriter.bytes(notice);
        for (int length = NoticeLayout.LENGTH_BYTES; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatExceptionOfType(ProtocolException.class)
                    .as("%d of %d bytes", length, bytes.length)
                    .isThrownBy(() -> read(cut));
        }
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> read(Arrays.copyOf(bytes, bytes.length + 1)));
    }

    /** Whatever comes is a notice or is refused; a wrong length takes no memory. */
    @Test
    void wrongBytes_areRefused_orMakeSense() {
        Random random = new Random(1);
        List<byte[]> right = notices().stream().map(NoticeWriter::bytes).toList();
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = right.get(random.nextInt(right.size())).clone();
            for (int wrong = random.nextInt(4); wrong >= 0; wrong--) {
                bytes[NoticeLayout.LENGTH_BYTES + random.nextInt(bytes.length - NoticeLayout.LENGTH_BYTES)] =
                        (byte) random.nextInt();
            }
            try {
                assertThat(read(bytes)).isNotNull();
            } catch (ProtocolException e) {
                assertThat(e).hasMessageContaining("broken notice");
            }
        }
    }

    @Test
    void callThatRecurs_takesFourBytes() {
        List<NameReference> one = List.of(new NameReference.Again(GROUP, 5, 1, 1));
        List<NameReference> eleven = Collections.nCopies(11, one.getFirst());
        int more = NoticeWriter.bytes(new Notice.Batch(9, eleven)).length
                - NoticeWriter.bytes(new Notice.Batch(9, one)).length;
        assertThat(more).isEqualTo(40);
    }

    /** What the runs of composite calls are is told where ranks are compared, and nowhere else. */
    @Test
    void wordsOfComposites_areInWhatIsReady_andInNoBatch() {
        Notice.Ready ready = (Notice.Ready) read(NoticeWriter.bytes(new Notice.Ready(ENCLOSED, 0, SIGNATURE, "")));
        Enclosure bucket = Objects.requireNonNull(ready.key().enclosure());
        assertThat(bucket.words()).isEqualTo("bucket");
        assertThat(Objects.requireNonNull(bucket.run().enclosure()).words()).isEqualTo("training step");
        assertThat(new String(
                        NoticeWriter.bytes(new Notice.Batch(1, List.of(new NameReference.New(ENCLOSED)))),
                        StandardCharsets.ISO_8859_1))
                .contains("bucket")
                .doesNotContain("training");
    }

    @Test
    void callThatRecursInAComposite_takesSevenBytes() {
        NameReference again = new NameReference.Again(GROUP, 5, 0, 0, 1, List.of(new NameReference.RunStep(1, 1)));
        int one = NoticeWriter.bytes(new Notice.Batch(9, List.of(again))).length;
        assertThat(NoticeWriter.bytes(new Notice.Batch(9, Collections.nCopies(11, again))).length - one)
                .isEqualTo(70);
    }

    /** A batch has as many names as {@link NoticeLayout#MAX_PLACES}, those of runs among them. */
    @Test
    void largestBatchOfComposites_fits() {
        CallKey.Ticket key = new CallKey.Ticket(0, 1, "λ".repeat(512), Long.MIN_VALUE, Integer.MAX_VALUE);
        for (int depth = 0; depth < Enclosure.MOST_DEEP; depth++) {
            key = new CallKey.Ticket(
                    depth,
                    depth,
                    "λ".repeat(512),
                    Long.MIN_VALUE,
                    Integer.MAX_VALUE,
                    new Enclosure(key, 0, "λ".repeat(512)));
        }
        int most = NoticeLayout.MAX_PLACES / (1 + Enclosure.MOST_DEEP);
        Notice batch = new Notice.Batch(1, Collections.nCopies(most, new NameReference.New(key)));
        byte[] bytes = NoticeWriter.bytes(batch);
        assertThat(bytes.length).isLessThan(NoticeLayout.MAX_BYTES);
        assertThat(read(bytes)).isEqualTo(batch);
        assertThat(NoticeWriter.bytes(new Notice.Ready(key, 0, SIGNATURE, "")).length)
                .isLessThan(NoticeLayout.MAX_BYTES);
    }

    @Test
    void largestBatch_fits() {
        CallKey.Ticket longest = new CallKey.Ticket(0, 1, "λ".repeat(512), Long.MIN_VALUE, Integer.MAX_VALUE);
        Notice batch =
                new Notice.Batch(1, Collections.nCopies(NoticeLayout.MAX_PLACES, new NameReference.New(longest)));
        byte[] bytes = NoticeWriter.bytes(batch);
        assertThat(bytes.length).isLessThan(NoticeLayout.MAX_BYTES);
        assertThat(read(bytes)).isEqualTo(batch);
    }

    @Test
    void longText_isCutBetweenCharacters() {
        Failure failure = FAILURE.withText("x" + "λ".repeat(NoticeLayout.MAX_TEXT_BYTES));
        Notice.Failed read = (Notice.Failed) read(NoticeWriter.bytes(new Notice.Failed(KEY, failure)));
        assertThat(read.cause().text()).isEqualTo("x" + "λ".repeat(NoticeLayout.MAX_TEXT_BYTES / 2 - 1));
    }
}
