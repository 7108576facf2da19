package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.unix.Errors;
import io.reactivecomm.netty.internal.connection.Sockets;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A socket that takes so many bytes at a time. */
class SegmentRegionTest {

    private static final byte[] STAGED = {1, 2, 3, 4};
    private static final byte[] PAYLOAD = {5, 6, 7, 8, 9};
    private static final byte[] ALL = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
    private static final byte LOST = 1;

    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private final WritableByteChannel socket = Channels.newChannel(taken);
    private final Arena arena = Arena.ofShared();
    private final MemorySegment payload = arena.allocate(PAYLOAD.length).copyFrom(MemorySegment.ofArray(PAYLOAD));
    private final List<Throwable> faults = new ArrayList<>();
    private int room;
    private int calls;
    private long reported;
    /** Happens inside the next system call. */
    private Runnable meanwhile = () -> {};

    private final SegmentRegion region = region(Unpooled.copiedBuffer(STAGED), payload);

    @AfterEach
    void close() {
        region.release();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private SegmentRegion region(ByteBuf staged, MemorySegment memory) {
        return new SegmentRegion(staged, memory, this::take, new SegmentRegion.Progress() {
            @Override
            public void transferred(SegmentRegion region, long bytes) {
                reported += bytes;
            }

            @Override
            public void lost(SegmentRegion region, Throwable fault) {
                faults.add(fault);
            }
        });
    }

    private long take(WritableByteChannel target, ByteBuffer[] buffers) throws IOException {
        calls++;
        int left = room;
        for (ByteBuffer buffer : buffers) {
            int here = Math.min(left, buffer.remaining());
            target.write(buffer.slice(buffer.position(), here));
            buffer.position(buffer.position() + here);
            left -= here;
        }
        Runnable now = meanwhile;
        meanwhile = () -> {};
        now.run();
        return room - left;
    }

    private void transferTheRest() throws IOException {
        for (int turn = 0; turn < 100 && !region.isWhole(); turn++) {
            assertThat(region.transferTo(socket, region.transferred())).isPositive();
        }
        assertThat(region.isWhole()).isTrue();
        assertThat(reported).isEqualTo(region.count());
    }

    private void requireLostFrom(int from, Class<? extends Throwable> fault) {
        byte[] expected = Arrays.copyOf(Arrays.copyOf(ALL, from), ALL.length);
        System.arraycopy(STAGED, 0, expected, 0, STAGED.length);
        expected[ALL.length - 1] = LOST;
        assertThat(taken.toByteArray()).isEqualTo(expected);
        assertThat(faults).singleElement().isInstanceOf(fault);
        assertThat(region.isLost()).isTrue();
    }

    @Test
    void stagedBytesPayloadAndStatus_leaveTogether() throws IOException {
        room = 100;
        assertThat(region.transferTo(socket, 0)).isEqualTo(ALL.length);
        assertThat(calls).isOne();
        assertThat(taken.toByteArray()).isEqualTo(ALL);
        assertThat(region.isWhole()).isTrue();
        assertThat(reported).isEqualTo(region.count());
        assertThat(faults).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5, 8, 9})
    void restAfterAPartOf_isCopiedAside_andFollows(int first) throws IOException {
        room = first;
        region.transferTo(socket, 0);
        region.copyAside(UnpooledByteBufAllocator.DEFAULT);
        payload.fill((byte) 0);
        arena.close();
        transferTheRest();
        assertThat(taken.toByteArray()).isEqualTo(ALL);
        assertThat(faults).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4, 5, 8, 9})
    void memoryThatIsFreedAfterAPart_isZerosAndLost(int first) throws IOException {
        room = first;
        region.transferTo(socket, 0);
        arena.close();
        room = 3;
        transferTheRest();
        requireLostFrom(first, IllegalStateException.class);
    }

    /** What was taken until then may be anything: nobody looks at it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 5, 8, 9})
    void memoryThatIsFreedInsideASystemCall_isLost(int first) throws IOException {
        room = first;
        meanwhile = arena::close;
        region.transferTo(socket, 0);
        assertThat(region.isLost()).isTrue();
        transferTheRest();
        requireLostFrom(first, IllegalStateException.class);
    }

    @Test
    void memoryThatIsFreedInsideTheLastSystemCall_isToldOfHereAtLeast() throws IOException {
        room = ALL.length;
        meanwhile = arena::close;
        transferTheRest();
        assertThat(taken.toByteArray()).isEqualTo(ALL);
        assertThat(faults).singleElement().isInstanceOf(IllegalStateException.class);
    }

    @Test
    void memoryThatIsFreedAfterAll_isNobodysConcern() throws IOException {
        room = ALL.length;
        transferTheRest();
        arena.close();
        region.copyAside(UnpooledByteBufAllocator.DEFAULT);
        assertThat(faults).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 6})
    void freedMemory_isNotCopiedAside(int first) throws IOException {
        room = first;
        region.transferTo(socket, 0);
        arena.close();
        region.copyAside(UnpooledByteBufAllocator.DEFAULT);
        room = 100;
        transferTheRest();
        requireLostFrom(first, IllegalStateException.class);
    }

    @Test
    void zeros_takeThePlaceOfAnyLength() throws IOException {
        int length = 300_001;
        SegmentRegion large = region(Unpooled.copiedBuffer(STAGED), arena.allocate(length));
        arena.close();
        room = 100_000;
        for (int turn = 0; turn < 10 && !large.isWhole(); turn++) {
            large.transferTo(socket, large.transferred());
        }
        byte[] expected = Arrays.copyOf(STAGED, STAGED.length + length + 1);
        expected[expected.length - 1] = LOST;
        assertThat(taken.toByteArray()).isEqualTo(expected);
        large.release();
    }

    /** @param error what the system says, negative as Netty has it: EFAULT, or EPIPE */
    private SegmentRegion failing(int error) {
        boolean[] failed = {false};
        Sockets.GatheringWrite gather = (target, buffers) -> {
            if (!failed[0]) {
                failed[0] = true;
                throw new Errors.NativeIoException("writev", error);
            }
            return take(target, buffers);
        };
        return new SegmentRegion(Unpooled.copiedBuffer(STAGED), payload, gather, new SegmentRegion.Progress() {
            @Override
            public void transferred(SegmentRegion region, long bytes) {}

            @Override
            public void lost(SegmentRegion region, Throwable fault) {
                faults.add(fault);
            }
        });
    }

    @Test
    void pageThatTheSystemDoesNotFind_isLost_inTheSameWrite() throws IOException {
        SegmentRegion region = failing(-14);
        room = 100;
        assertThat(region.transferTo(socket, 0)).isEqualTo(ALL.length);
        assertThat(taken.toByteArray()).isEqualTo(new byte[] {1, 2, 3, 4, 0, 0, 0, 0, 0, LOST});
        assertThat(faults).singleElement().isExactlyInstanceOf(InternalError.class);
        region.release();
    }

    @Test
    void connectionThatBreaks_isNoFaultOfTheMemory() {
        SegmentRegion region = failing(-32);
        assertThatThrownBy(() -> region.transferTo(socket, 0)).isInstanceOf(IOException.class);
        assertThat(faults).isEmpty();
        region.release();
    }

    @Test
    void release_freesWhatWasStaged() {
        ByteBuf staged = Unpooled.directBuffer().writeBytes(STAGED);
        MemorySegment memory = MemorySegment.ofArray(PAYLOAD);
        SegmentRegion other = region(staged, memory);
        other.copyAside(UnpooledByteBufAllocator.DEFAULT);
        other.forget();
        other.release();
        assertThat(staged.refCnt()).isZero();
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(PAYLOAD[0]);
    }
}
