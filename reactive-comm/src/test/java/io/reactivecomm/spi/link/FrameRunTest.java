package io.reactivecomm.spi.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Openings that follow each other share a frame, and come out as they went in. */
class FrameRunTest {

    private static final Signature SUM =
            new Signature(Operation.ALL_REDUCE, DType.FLOAT32, 256, Signature.NO_ROOT, ReduceOp.SUM);
    private static final int KIB = 1024;

    private final FrameWriter writer = new FrameWriter();
    private final FrameReader reader = new FrameReader();

    private static Frame.Open open(long number, int eagerBytes) {
        MemorySegment eager = MemorySegment.ofArray(new byte[eagerBytes]);
        for (int i = 0; i < eagerBytes; i++) {
            eager.set(ValueLayout.JAVA_BYTE, i, (byte) (number * 7 + i));
        }
        return new Frame.Open(
                new CallKey.Ticket(0, 0, "layer", number, 1),
                number + 40,
                0,
                SUM,
                3,
                3,
                0,
                List.of(new Frame.Edge(0, 256, eager)));
    }

    private ByteBuffer written(List<? extends Frame> frames) {
        ByteBuffer bytes = ByteBuffer.allocate(
                frames.stream().mapToInt(writer::lengthBound).sum());
        frames.forEach(frame -> writer.write(frame, bytes));
        return bytes.flip();
    }

    private List<Frame> read(ByteBuffer bytes) {
        List<Frame> frames = new ArrayList<>();
        while (bytes.hasRemaining()) {
            frames.addAll(reader.read(bytes));
        }
        return frames;
    }

    private static void assertSame(List<Frame> got, List<? extends Frame> sent) {
        assertThat(got.stream().map(FrameRunTest::plain).toList())
                .isEqualTo(sent.stream().map(FrameRunTest::plain).toList());
    }

    /** {@return the frame with its bytes as values; segments compare by identity} */
    private static Object plain(Frame frame) {
        return switch (frame) {
            case Frame.Open open ->
                List.of(
                        open.key(),
                        open.call(),
                        open.peerCall(),
                        open.signature(),
                        open.outgoing(),
                        open.incoming(),
                        open.site(),
                        open.edges().stream().map(FrameRunTest::plain).toList());
            case Frame.Announce announce -> List.of(announce.call(), plain(announce.edge()));
            default -> frame;
        };
    }

    private static Object plain(Frame.Edge edge) {
        return List.of(edge.edge(), edge.ready(), Arrays.toString(edge.eager().toArray(ValueLayout.JAVA_BYTE)));
    }

    private static int framesIn(ByteBuffer bytes) {
        int frames = 0;
        for (int at = 0; at < bytes.limit(); at += FrameCodec.lengthOf(bytes.slice(at, bytes.limit() - at))) {
            frames++;
        }
        return frames;
    }

    @Test
    void openings_inARow_shareAFrameAndCostTheirBytes() {
        List<Frame.Open> sent = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sent.add(open(i, KIB));
        }
        ByteBuffer bytes = written(sent);
        assertThat(framesIn(bytes)).isEqualTo(2);
        assertThat(bytes.limit()).isLessThan(50 * (KIB + 16) + 160);
        assertSame(read(bytes), sent);
    }

    @Test
    void run_thatWasCut_goesOnInAnotherFrame() {
        ByteBuffer first = written(List.of(open(0, 8), open(1, 8)));
        writer.cut();
        ByteBuffer second = written(List.of(open(2, 8), open(3, 8)));
        assertThat(framesIn(second)).isEqualTo(1);
        assertSame(read(first), List.of(open(0, 8), open(1, 8)));
        assertSame(read(second), List.of(open(2, 8), open(3, 8)));
    }

    @Test
    void run_behindAnotherFrame_beginsAnew() {
        List<Frame> sent =
                List.of(open(0, 8), open(1, 8), new Frame.Leave(3), open(2, 8), open(3, 8), new Frame.Goodbye());
        assertSame(read(written(sent)), sent);
    }

    @Test
    void run_neverExceedsTheLongestFrame() {
        List<Frame.Open> sent = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            sent.add(open(i, 64 * KIB));
        }
        ByteBuffer bytes = written(sent);
        assertThat(framesIn(bytes)).isEqualTo(1 + 7);
        assertSame(read(bytes), sent);
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void openings_ofAllKinds_comeOutAsTheyWentIn(long seed) {
        Random random = new Random(seed);
        List<Frame.Open> sent = new ArrayList<>();
        long number = 0;
        for (int i = 0; i < 2_000; i++) {
            number += random.nextInt(8) == 0 ? 2 : 1;
            sent.add(random.nextInt(6) == 0 ? odd(random, number) : open(number, 12));
        }
        assertSame(read(written(sent)), sent);
    }

    /** One that differs from its neighbours in something. */
    private static Frame.Open odd(Random random, long number) {
        Frame.Open usual = open(number, 12);
        Frame.Edge edge = usual.edges().getFirst();
        CallKey.Ticket key = (CallKey.Ticket) usual.key();
        CallKey other = switch (random.nextInt(9)) {
            case 0 -> new CallKey.Ticket(1, 0, "layer", number, 1);
            case 1 -> new CallKey.Ticket(0, 5, "layer", number, 1);
            case 2 -> new CallKey.Ticket(0, 0, "other", number, 1);
            case 3 -> new CallKey.Ticket(0, 0, "layer", number, 2);
            case 4 -> new CallKey.Message(0, 0, "layer", 0, 0, 1, number);
            case 5 ->
                new CallKey.Ticket(
                        0,
                        0,
                        "layer",
                        number,
                        1,
                        new Enclosure(new CallKey.Ticket(0, 0, "run", random.nextInt(2), 1), 7));
            case 6 -> new CallKey.Ticket(0, 0, random.nextInt(2), "layer", number, 1, null);
            default -> key;
        };
        List<Frame.Edge> edges = switch (random.nextInt(6)) {
            case 0 -> List.of();
            case 1 -> List.of(edge, edge);
            case 2 -> List.of(Frame.Edge.toBeGranted(0, 256));
            case 3 -> List.of(new Frame.Edge(1, 256, edge.eager()));
            case 4 -> List.of(new Frame.Edge(0, 255, edge.eager()));
            default -> List.of(edge);
        };
        Signature signature = random.nextBoolean() ? SUM : new Signature(Operation.BROADCAST, DType.INT8, 9, 0, null);
        return new Frame.Open(
                other,
                usual.call(),
                random.nextInt(3),
                signature,
                random.nextInt(4),
                random.nextInt(4),
                random.nextInt(2),
                edges);
    }

    @Test
    void run_thatFollowsNothing_isRefused() {
        written(List.of(open(0, 8)));
        writer.cut();
        ByteBuffer run = written(List.of(open(1, 8)));
        assertThatThrownBy(() -> reader.read(run))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("follows no opening");
    }

    @Test
    void run_ofOtherSizesThanItSays_isRefused() {
        ByteBuffer first = written(List.of(open(0, 8)));
        writer.cut();
        ByteBuffer run = written(List.of(open(1, 8), open(2, 8)));
        for (int count : new int[] {0, 1, 3, -1, Integer.MAX_VALUE}) {
            assertRefused(first, changed(run, FrameLayout.RUN_COUNT_OFFSET, count));
        }
        for (int eager : new int[] {0, 7, 9, -8, Integer.MAX_VALUE}) {
            assertRefused(first, changed(run, FrameLayout.RUN_EAGER_OFFSET, eager));
        }
        assertRefused(first, changed(run, FrameLayout.LENGTH_OFFSET, FrameLayout.HEADER_BYTES));
        assertRefused(first, run.duplicate().limit(run.limit() - 1));
    }

    private static void assertRefused(ByteBuffer first, ByteBuffer run) {
        FrameReader fresh = new FrameReader();
        fresh.read(first.duplicate());
        assertThatThrownBy(() -> fresh.read(run)).isInstanceOf(ProtocolException.class);
    }

    private static ByteBuffer changed(ByteBuffer bytes, int at, int value) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.limit())
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(bytes.duplicate())
                .flip();
        return copy.order(ByteOrder.LITTLE_ENDIAN).putInt(at, value);
    }

    /** A link may read into an array again and again; what is kept of a frame must not change with it. */
    @ParameterizedTest(name = "direct={0}")
    @ValueSource(booleans = {false, true})
    void keptFrames_ofABufferThatIsReused_stayAsTheyWere(boolean direct) {
        Frame.Announce announce = new Frame.Announce(1, open(4, KIB).edges().getFirst());
        ByteBuffer sent = written(List.of(open(0, KIB), open(1, KIB), open(2, KIB), announce));
        ByteBuffer link = direct ? ByteBuffer.allocateDirect(sent.limit() + 3) : ByteBuffer.allocate(sent.limit() + 3);
        ByteBuffer reused = link.position(3).put(sent).flip().position(3);
        List<Frame> kept = new ArrayList<>();
        while (reused.hasRemaining()) {
            reader.read(reused).forEach(frame -> kept.add(frame.kept()));
        }
        MemorySegment.ofBuffer(reused.clear()).fill((byte) 99);
        assertSame(kept, List.of(open(0, KIB), open(1, KIB), open(2, KIB), announce));
    }

    @Test
    void framesThatWereHandedOn_areForgotten() {
        List<Frame> last = reader.read(written(List.of(open(0, 8))));
        assertThat(last).hasSize(1);
        reader.forget();
        assertThat(last).isEmpty();
    }
}
