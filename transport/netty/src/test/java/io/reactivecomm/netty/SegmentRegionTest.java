package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A socket that takes so many bytes at a time. */
class SegmentRegionTest {

    private static final byte[] STAGED = {1, 2, 3, 4};
    private static final byte[] PAYLOAD = {5, 6, 7, 8, 9};
    private static final byte[] ALL = {1, 2, 3, 4, 5, 6, 7, 8, 9};

    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private final WritableByteChannel socket = Channels.newChannel(taken);
    private final MemorySegment payload = MemorySegment.ofArray(PAYLOAD.clone());
    private int room;
    private int calls;
    private long reported;

    private final SegmentRegion region =
            new SegmentRegion(Unpooled.copiedBuffer(STAGED), payload, this::take, (region, bytes) -> reported += bytes);

    private long take(WritableByteChannel target, ByteBuffer[] buffers) throws IOException {
        calls++;
        int left = room;
        for (ByteBuffer buffer : buffers) {
            int here = Math.min(left, buffer.remaining());
            target.write(buffer.slice(buffer.position(), here));
            buffer.position(buffer.position() + here);
            left -= here;
        }
        return room - left;
    }

    @Test
    void stagedBytesAndPayload_leaveTogether() throws IOException {
        room = 100;
        assertThat(region.transferTo(socket, 0)).isEqualTo(ALL.length);
        assertThat(calls).isOne();
        assertThat(taken.toByteArray()).isEqualTo(ALL);
        assertThat(region.isWhole()).isTrue();
        assertThat(reported).isEqualTo(region.count());
        region.release();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5, 8})
    void restAfterAPartOf_isCopiedAside_andFollows(int first) throws IOException {
        room = first;
        region.transferTo(socket, 0);
        region.copyAside(UnpooledByteBufAllocator.DEFAULT);
        payload.fill((byte) 0);
        while (!region.isWhole()) {
            assertThat(region.transferTo(socket, region.transferred())).isPositive();
        }
        assertThat(taken.toByteArray()).isEqualTo(ALL);
        region.release();
    }

    @Test
    void release_freesWhatWasStaged() {
        ByteBuf staged = Unpooled.directBuffer().writeBytes(STAGED);
        MemorySegment memory = MemorySegment.ofArray(PAYLOAD);
        SegmentRegion other = new SegmentRegion(staged, memory, this::take, (_, _) -> {});
        other.copyAside(UnpooledByteBufAllocator.DEFAULT);
        other.forget();
        other.release();
        assertThat(staged.refCnt()).isZero();
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(PAYLOAD[0]);
        region.release();
    }
}
