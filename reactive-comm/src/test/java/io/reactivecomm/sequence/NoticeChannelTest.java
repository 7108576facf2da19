package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.spi.CallKey;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoticeChannelTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** One rank's end. */
    private static final class End implements NoticeChannel.Reader {

        private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        private final CountDownLatch closed = new CountDownLatch(1);
        private final DrainLoop tasks = DrainLoop.ofTasks(this::flush, events::add);
        private final NoticeChannel wire;

        private End(ProcessGroup control, int peer) {
            wire = new NoticeChannel(control, peer, tasks, this, closed::countDown);
            tasks.execute(wire::start);
        }

        private void flush() {
            wire.flush();
        }

        private Object next() throws InterruptedException {
            return events.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }

        @Override
        public void take(Notice notice) {
            events.add(notice);
        }

        @Override
        public void down(String cause) {
            events.add("down: " + cause);
        }
    }

    private static Notice named(int lengthBytes) {
        return new Notice.Asked(new CallKey.Ticket(0, 1, "n".repeat(lengthBytes), lengthBytes, 1));
    }

    @Test
    void notices_ofAnyLength_comeInOrder_alsoTheLastBeforeClose() throws InterruptedException {
        try (LocalWorld world = ReactiveComm.local(2)) {
            End one = new End(world.groups().getFirst(), 1);
            End other = new End(world.groups().getLast(), 0);
            List<Notice> notices = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                notices.add(named(i * 37 % 1000));
            }
            one.tasks.execute(() -> notices.forEach(one.wire::send));
            one.tasks.execute(() -> one.wire.send(new Notice.Left()));
            one.tasks.execute(one.wire::close);
            for (Notice notice : notices) {
                assertThat(other.next()).isEqualTo(notice);
            }
            assertThat(other.next()).isEqualTo(new Notice.Left());
            assertThat(one.closed.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            other.tasks.execute(other.wire::close);
            assertThat(other.closed.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void peerThatLeaves_takesTheWireDown_once() throws InterruptedException {
        try (LocalWorld world = ReactiveComm.local(2)) {
            End one = new End(world.groups().getFirst(), 1);
            world.groups().getLast().close();
            assertThat(one.next().toString()).startsWith("down: ");
            one.tasks.execute(() -> one.wire.send(named(3)));
            assertThat(one.closed.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(one.events).isEmpty();
        }
    }

    /** The first int of a message says how much of it is used, the second how long the first notice is. */
    @ParameterizedTest
    @ValueSource(ints = {-1, NoticeChannel.PACKET_BYTES, 8})
    void messagesThatMakeNoSense_takeTheWireDown(int used) throws InterruptedException {
        try (LocalWorld world = ReactiveComm.local(2);
                Tensor message = Tensor.allocate(DType.UINT8, NoticeChannel.PACKET_BYTES)) {
            End one = new End(world.groups().getFirst(), 1);
            message.segment().set(ValueLayout.JAVA_INT, 0, used);
            message.segment().set(ValueLayout.JAVA_INT, 4, Integer.MAX_VALUE);
            world.groups().getLast().send(message, 0, 0).block(LIMIT);
            assertThat(one.next().toString()).startsWith("down: it broke the protocol");
        }
    }
}
