package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.link.RecordedEvents.Ended;
import io.reactivecomm.netty.internal.link.RecordedEvents.Started;
import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** A pair of links of three lanes for each case, rank 0 sending to rank 1. */
abstract class LaneFixture {

    static final int LANES = 3;
    static final int LENGTH = LaneSet.LEAST_BYTES + 100_001;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    final ManualTimers timers = new ManualTimers();
    final RecordedEvents events0 = new RecordedEvents();
    final RecordedEvents events1 = new RecordedEvents();
    final Arena arena = Arena.ofShared();
    LinkPair pair;

    @AfterEach
    final void end() {
        if (pair != null) {
            pair.close();
        }
        arena.close();
    }

    /** {@return where payloads go, each behind that of the grant before} */
    final MemorySegment begin(Sockets sockets, int payloads) throws Exception {
        MemorySegment into = arena.allocate((long) payloads * LENGTH);
        events1.into((grant, length) -> into.asSlice((grant - 1) * LENGTH, length));
        pair = LinkPair.connect(sockets, timers, LANES);
        pair.start(events0, events1);
        return into;
    }

    final MemorySegment pattern(long bytes) {
        MemorySegment segment = arena.allocate(bytes, 8);
        for (long i = 0; i < bytes; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + (i >> 12) + 1));
        }
        return segment;
    }

    static Frame.Data data(MemorySegment all, long grant) {
        return new Frame.Data(grant, all.asSlice((grant - 1) * LENGTH, LENGTH));
    }

    final void send(Frame... frames) {
        pair.on0(() -> events0.quietly(() -> {
            for (Frame frame : frames) {
                pair.link0.write(frame);
            }
            pair.link0.flush();
        }));
    }

    final void expectStarted(long... grants) {
        for (long grant : grants) {
            assertThat(events1.next(Started.class)).isEqualTo(new Started(grant, LENGTH));
        }
    }

    final void expectEnded(long... grants) {
        for (long grant : grants) {
            assertThat(events1.next(Ended.class).grant()).isEqualTo(grant);
        }
    }

    static boolean isSame(MemorySegment one, MemorySegment other, long grant) {
        return MemorySegment.mismatch(
                        one, (grant - 1) * LENGTH, grant * LENGTH, other, (grant - 1) * LENGTH, grant * LENGTH)
                < 0;
    }

    /** Waits for what cannot be heard of, asking on rank 1's loop. */
    final void await(String what, BooleanSupplier there) {
        long until = System.nanoTime() + PATIENCE_NANOS;
        boolean[] is = {false};
        while (!is[0]) {
            assertThat(System.nanoTime()).as("the time, waiting for %s", what).isLessThan(until);
            pair.on1(() -> is[0] = there.getAsBoolean());
        }
    }

    /** Waits until rank 1 has read a frame that it holds. */
    final void awaitHeld() {
        await("a held frame", () -> !pair.channel1.config().isAutoRead());
    }

    final void expectAllClosed() {
        assertThat(Stream.of(pair.lanes0, pair.lanes1, List.of(pair.channel0, pair.channel1))
                        .flatMap(List::stream))
                .allMatch(channel -> channel.closeFuture().awaitUninterruptibly(20, TimeUnit.SECONDS));
    }
}
