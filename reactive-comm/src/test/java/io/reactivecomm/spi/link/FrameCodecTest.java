package io.reactivecomm.spi.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FrameCodecTest {

    private static final String LONGEST_NAME = "n".repeat(FrameCodec.MAX_NAME_BYTES);
    private static final Signature SUM =
            new Signature(Operation.ALL_REDUCE, DType.FLOAT32, 5, Signature.NO_ROOT, ReduceOp.SUM);

    static Stream<CallKey> keys() {
        return Stream.of(
                new CallKey.Ticket(0, 0, "", 0, 1),
                new CallKey.Ticket(Integer.MAX_VALUE, Long.MIN_VALUE, LONGEST_NAME, Long.MAX_VALUE, Integer.MAX_VALUE),
                new CallKey.Ticket(-1, -1, "gewicht→ß\uD83D\uDE00", -1, -1),
                new CallKey.Message(0, 0, "", 0, 0, 0, 0),
                new CallKey.Message(3, 7, "n", Integer.MIN_VALUE, Integer.MAX_VALUE, -1, Long.MIN_VALUE),
                new CallKey.Ticket(0, 0, "", 0, 1, enclosure(1)),
                new CallKey.Ticket(0, 2, "inner", 3, 1, enclosure(Enclosure.MOST_DEEP)),
                new CallKey.Message(0, 0, LONGEST_NAME, 1, 2, 3, 4, enclosure(2)),
                new CallKey.Ticket(0, 0, 0, "", 0, 1, null),
                new CallKey.Ticket(1, 2, Long.MAX_VALUE, LONGEST_NAME, 3, 1, enclosure(2)),
                new CallKey.Message(0, 0, 7, LONGEST_NAME, 1, 2, 3, 4, null),
                new CallKey.Ticket(0, 0, "", 0, 1, new Enclosure(new CallKey.Ticket(0, 0, 8, "run", 0, 1, null), 3)));
    }

    static Stream<Failure> failures() {
        return Stream.concat(
                Arrays.stream(Failure.Kind.values()).map(kind -> new Failure(kind, kind.ordinal(), kind.name())),
                Stream.of(
                        new Failure(Failure.Kind.TIMEOUT, -1, "", List.of(Integer.MIN_VALUE, 0, Integer.MAX_VALUE)),
                        new Failure(
                                Failure.Kind.PEER_LOST,
                                7,
                                "t".repeat(FrameCodec.MAX_TEXT_BYTES),
                                Collections.nCopies(FrameCodec.MAX_MISSING, 9))));
    }

    /** {@return composite calls in one another, so many} */
    private static Enclosure enclosure(int deep) {
        Enclosure outer = deep == 1 ? null : enclosure(deep - 1);
        return new Enclosure(
                new CallKey.Ticket(0, deep, "run", Long.MAX_VALUE, deep, outer),
                deep % 2 == 0 ? -deep : Long.MIN_VALUE);
    }

    @Test
    void enclosures_thatDifferInTheOperation_areRead_andTooDeepOnesRefused() {
        CallKey.Ticket run = new CallKey.Ticket(0, 0, "", 0, 1);
        for (long operation : new long[] {0, -1, 77}) {
            Frame.Query query =
                    new Frame.Query(new CallKey.Ticket(0, 0, "", 0, 1, new Enclosure(run, operation)), false);
            Enclosure read = Objects.requireNonNull(
                    ((Frame.Query) FrameCodec.decode(encoded(query))).key().enclosure());
            assertThat(read.operation()).isEqualTo(operation);
        }
        Frame.Query deep =
                new Frame.Query(new CallKey.Ticket(0, 0, "", 0, 1, enclosure(Enclosure.MOST_DEEP + 1)), false);
        ByteBuffer bytes = encoded(deep);
        assertThatThrownBy(() -> FrameCodec.decode(bytes))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("too deep");
    }

    static Stream<Frame> frames() {
        return Stream.of(
                        Stream.of(
                                new Frame.Withdrawn(Long.MIN_VALUE),
                                new Frame.Dropped(-1),
                                new Frame.Taken(Long.MAX_VALUE),
                                new Frame.Leave(Long.MAX_VALUE),
                                new Frame.Goodbye(),
                                new Frame.Wanted(Long.MAX_VALUE, LONGEST_NAME, -5),
                                new Frame.Wanted(0, "", 0),
                                new Frame.Wanted(0, null, "", 0, Frame.Wanted.ANY),
                                new Frame.Wanted(3, enclosure(2), "n", 1, Long.MAX_VALUE),
                                new Frame.Wanted(3, 12, null, LONGEST_NAME, 1, 0),
                                new Frame.Grant(1, 2, 3, 4, 5),
                                new Frame.Grant(-1, Integer.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE, -1),
                                new Frame.Lost(0, ""),
                                new Frame.Lost(Integer.MAX_VALUE, "reset"),
                                new Frame.GroupAbort(-2, new Failure(Failure.Kind.CLOSED, 1, "over"))),
                        keys().flatMap(key -> Stream.of(true, false).map(isDispute -> new Frame.Query(key, isDispute))),
                        keys().map(Frame.Dispute::new),
                        keys().map(key -> new Frame.Performs(key, "nccl")),
                        keys().flatMap(key -> failures().map(failure -> new Frame.Abort(key, failure))),
                        keys().flatMap(key -> Arrays.stream(Frame.Status.State.values())
                                .map(state -> new Frame.Status(
                                        key, state == Frame.Status.State.ENDED, state, "all-reduce(…)", ""))),
                        keys().map(key -> new Frame.Open(key, 1, Frame.Open.UNKNOWN, SUM, -1, 5, 0, List.of())),
                        signatures()
                                .map(signature -> new Frame.Open(
                                        new CallKey.Ticket(0, 0, "x", 1, 1), -1, 2, signature, 3, 4, 5, List.of())))
                .flatMap(frames -> frames);
    }

    static Stream<Signature> signatures() {
        return Stream.of(
                        Arrays.stream(Operation.values())
                                .map(operation -> new Signature(operation, DType.INT8, 0, 0, null)),
                        Arrays.stream(DType.values())
                                .map(type -> new Signature(Operation.REDUCE, type, 1, 2, ReduceOp.MAX)),
                        Stream.of(
                                new Signature(
                                        Operation.ALL_GATHER, DType.INT8, Signature.UNEVEN, 0, null, Long.MIN_VALUE),
                                new Signature(Operation.ALL_REDUCE, DType.INT8, 1, 0, "ß".repeat(127) + "x", -1)),
                        Arrays.stream(ReduceOp.values())
                                .map(op -> new Signature(
                                        Operation.REDUCE, DType.INT8, Long.MAX_VALUE, Integer.MAX_VALUE, op)))
                .flatMap(signatures -> signatures);
    }

    static ByteBuffer encoded(Frame frame) {
        ByteBuffer bytes =
                ByteBuffer.allocate(3 + FrameCodec.lengthBound(frame)).position(3);
        FrameCodec.encode(frame, bytes);
        return bytes.flip().position(3);
    }

    @ParameterizedTest
    @MethodSource("keys")
    void headerBytes_areThoseOfAnOpening_withoutWhatComesAlong(CallKey key) {
        MemorySegment eager = MemorySegment.ofArray(new byte[5]);
        for (String reduction : new String[] {null, "SUM", "m\u00e9dian\u2192\uD83D\uDE00"}) {
            Signature signature =
                    new Signature(Operation.ALL_REDUCE, DType.FLOAT32, 5, Signature.NO_ROOT, reduction, 0);
            Frame.Open open = new Frame.Open(
                    key, 1, 2, signature, 3, 4, 5, List.of(new Frame.Edge(0, 5, eager), Frame.Edge.toBeGranted(1, 2)));
            ByteBuffer into = ByteBuffer.allocate(FrameCodec.lengthBound(open));
            FrameCodec.encode(open, into);
            assertThat(FrameCodec.headerBytes(open)).isEqualTo(into.position() - open.eagerBytes());
        }
    }

    @Test
    void headerBytes_ofOtherFrames_areConstant() {
        MemorySegment eager = MemorySegment.ofArray(new byte[5]);
        ByteBuffer into = ByteBuffer.allocate(1000);
        FrameCodec.encode(new Frame.Announce(1, new Frame.Edge(0, 5, eager)), into);
        assertThat(into.position()).isEqualTo(FrameCodec.ANNOUNCE_HEADER_BYTES + 5);
        FrameCodec.encode(new Frame.Grant(1, 2, 3, 4, 5), into.clear());
        assertThat(into.position()).isEqualTo(FrameCodec.GRANT_BYTES);
        FrameCodec.encode(new Frame.Data(1, eager), into.clear());
        assertThat(into.position()).isEqualTo(FrameCodec.DATA_HEADER_BYTES);
    }

    @ParameterizedTest
    @MethodSource("frames")
    void decode_encoded_isTheFrame(Frame frame) {
        ByteBuffer bytes = encoded(frame);
        assertThat(FrameCodec.lengthOf(bytes))
                .isEqualTo(bytes.remaining())
                .isLessThanOrEqualTo(FrameCodec.lengthBound(frame));
        assertThat(FrameCodec.decode(bytes)).isEqualTo(frame);
        assertThat(bytes.hasRemaining()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("frames")
    void decode_anyPrefix_isRefused(Frame frame) {
        ByteBuffer whole = encoded(frame);
        int step = Math.max(1, whole.remaining() / 300);
        for (int length = 0; length < whole.remaining(); length += step) {
            ByteBuffer prefix = whole.slice(whole.position(), length);
            assertThatThrownBy(() -> FrameCodec.decode(prefix)).isInstanceOf(ProtocolException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("frames")
    void decode_anotherLengthField_isRefused(Frame frame) {
        for (int difference : new int[] {-1, 1, 8, -8}) {
            ByteBuffer bytes = encoded(frame);
            ByteBuffer longer = ByteBuffer.allocate(bytes.remaining() + 8).order(ByteOrder.LITTLE_ENDIAN);
            longer.put(bytes).clear();
            longer.putInt(0, longer.getInt(0) + difference);
            assertThatThrownBy(() -> FrameCodec.decode(longer)).isInstanceOf(ProtocolException.class);
        }
    }

    @Test
    void decode_edges_keepTheirBytes() {
        List<Frame.Edge> edges = List.of(
                Frame.Edge.toBeGranted(0, 0),
                new Frame.Edge(Integer.MAX_VALUE, Long.MAX_VALUE, MemorySegment.ofArray(new byte[] {1, -1, 0})),
                new Frame.Edge(2, 3, MemorySegment.ofArray(new byte[100_000])));
        Frame.Open open = new Frame.Open(keys().findFirst().orElseThrow(), 1, 2, SUM, 3, 4, 5, edges);
        Frame.Open got = (Frame.Open) FrameCodec.decode(encoded(open));
        assertThat(got)
                .usingRecursiveComparison()
                .withEqualsForType(FrameCodecTest::sameBytes, MemorySegment.class)
                .isEqualTo(open);
        Frame.Announce announce = new Frame.Announce(9, edges.get(1));
        assertThat(FrameCodec.decode(encoded(announce)))
                .usingRecursiveComparison()
                .withEqualsForType(FrameCodecTest::sameBytes, MemorySegment.class)
                .isEqualTo(announce);
    }

    private static boolean sameBytes(MemorySegment one, MemorySegment other) {
        return one.mismatch(other) == -1;
    }

    @Test
    void data_isItsHeaderOnly() {
        byte[] payload = new byte[37];
        ByteBuffer bytes = encoded(new Frame.Data(-7, MemorySegment.ofArray(payload)));
        assertThat(bytes.remaining()).isEqualTo(FrameCodec.DATA_HEADER_BYTES);
        assertThat(FrameCodec.isData(bytes)).isTrue();
        assertThat(FrameCodec.lengthOf(bytes)).isEqualTo(FrameCodec.DATA_HEADER_BYTES + payload.length);
        assertThat(FrameCodec.grantOf(bytes)).isEqualTo(-7);
        assertThatThrownBy(() -> FrameCodec.decode(bytes)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void data_longerThanALength_isRefusedWhenEncoded() {
        MemorySegment huge = MemorySegment.ofAddress(0).reinterpret(FrameCodec.MAX_PAYLOAD_BYTES + 1L);
        assertThatThrownBy(() -> encoded(new Frame.Data(1, huge))).isInstanceOf(IllegalArgumentException.class);
        MemorySegment longest = huge.asSlice(0, FrameCodec.MAX_PAYLOAD_BYTES);
        assertThat(FrameCodec.lengthOf(encoded(new Frame.Data(1, longest)))).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void frames_beyondTheirBounds_areRefusedWhenEncoded() {
        Frame.Edge big = new Frame.Edge(0, 1, MemorySegment.ofArray(new byte[FrameCodec.MAX_CONTROL_BYTES]));
        assertThatThrownBy(() -> encoded(new Frame.Announce(1, big))).isInstanceOf(IllegalArgumentException.class);
        CallKey key = keys().findFirst().orElseThrow();
        Frame.Open open = new Frame.Open(key, 1, 2, SUM, 3, 4, 5, List.of(big));
        assertThatThrownBy(() -> encoded(open)).isInstanceOf(IllegalArgumentException.class);
        CallKey named = new CallKey.Ticket(0, 0, LONGEST_NAME + "n", 0, 1);
        assertThatThrownBy(() -> encoded(new Frame.Query(named, false)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1025");
        Signature labelled = new Signature(Operation.ALL_REDUCE, DType.INT8, 1, 0, "x".repeat(256), 0);
        assertThatThrownBy(() -> encoded(new Frame.Open(key, 1, 2, labelled, 3, 4, 5, List.of())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("256");
        assertThatThrownBy(() -> FrameCodec.encode(new Frame.Withdrawn(1), ByteBuffer.allocate(15)))
                .isInstanceOf(BufferOverflowException.class);
    }

    @Test
    void texts_tooLong_areCutBetweenCharacters() {
        String text = "x" + "ß".repeat(FrameCodec.MAX_TEXT_BYTES);
        Frame.Lost lost = (Frame.Lost) FrameCodec.decode(encoded(new Frame.Lost(1, text)));
        assertThat(text).startsWith(lost.cause());
        assertThat(lost.cause()).hasSize(FrameCodec.MAX_TEXT_BYTES / 2);
        List<Integer> missing = Collections.nCopies(FrameCodec.MAX_MISSING + 1, 3);
        Frame.GroupAbort abort = new Frame.GroupAbort(1, new Failure(Failure.Kind.TIMEOUT, 0, text, missing));
        Frame.GroupAbort got = (Frame.GroupAbort) FrameCodec.decode(encoded(abort));
        assertThat(got.failure().missing()).hasSize(FrameCodec.MAX_MISSING);
    }

    @Test
    void layout_ofAGrant_isAsDrawn() {
        ByteBuffer bytes =
                encoded(new Frame.Grant(0x1112131415161718L, 0x21222324, 0x3132333435363738L, 0x41424344, 0x51525354));
        ByteBuffer drawn = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
        drawn.putInt(40).putInt(4);
        drawn.putLong(0x1112131415161718L).putLong(0x51525354).putLong(0x3132333435363738L);
        drawn.putInt(0x21222324).putInt(0x41424344).flip();
        assertThat(bytes).isEqualTo(drawn);
    }

    /** These codes are the protocol: whoever reorders the enumerations changes {@link FrameCodec#VERSION} and this. */
    @Test
    void codes_areThoseOfThisVersion() {
        assertThat(FrameCodec.VERSION).isEqualTo(15);
        assertThat(Operation.values())
                .startsWith(
                        Operation.ALL_REDUCE,
                        Operation.INFERENCE_ALL_REDUCE,
                        Operation.REDUCE,
                        Operation.BROADCAST,
                        Operation.ALL_GATHER,
                        Operation.REDUCE_SCATTER,
                        Operation.ALL_TO_ALL,
                        Operation.GATHER,
                        Operation.SCATTER,
                        Operation.BARRIER,
                        Operation.MONITORED_BARRIER,
                        Operation.MESSAGE,
                        Operation.NEW_GROUP);
        assertThat(Failure.Kind.values())
                .startsWith(
                        Failure.Kind.TIMEOUT,
                        Failure.Kind.PEER_LOST,
                        Failure.Kind.MISMATCH,
                        Failure.Kind.UNSUPPORTED,
                        Failure.Kind.INVALID,
                        Failure.Kind.CLOSED,
                        Failure.Kind.INTERNAL);
    }

    @Test
    void brokenFrames_nameTheField() {
        ByteBuffer cut = encoded(new Frame.Cut(1, 2, "text"));
        cut.putInt(cut.position() + FrameCodec.HEADER_BYTES, -1);
        assertThatThrownBy(() -> FrameCodec.decode(cut)).hasMessage("broken frame, negative one: one=-1, type=19");
        ByteBuffer unknown = encoded(new Frame.Goodbye());
        unknown.put(unknown.position() + 4, (byte) 77);
        assertThatThrownBy(() -> FrameCodec.decode(unknown))
                .hasMessage("unknown type of frame: type=77, known=20, reserved=0, length=" + FrameCodec.HEADER_BYTES);
    }
}
