package io.reactivecomm.rcomm.latency;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Loan;
import io.reactivecomm.spi.link.PeerNews;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DelayedEventsTest {

    private final VirtualLoop loop = new VirtualLoop();
    private final Told told = new Told();
    private final Shaper shaper = new Shaper(loop, LinkShape.of(Duration.ofNanos(100), Rate.UNLIMITED));
    private final LinkEvents events = shaper.events(told);
    private final List<String> calls = new ArrayList<>();
    private final Link link =
            (Link) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Link.class}, this::called);

    /** A link that notes what it is asked to do. */
    private @Nullable Object called(Object proxy, Method method, Object[] arguments) {
        calls.add(method.getName());
        return switch (method.getName()) {
            case "hashCode" -> 1;
            case "equals" -> proxy == arguments[0];
            case "isWritable" -> true;
            default -> null;
        };
    }

    /** A listener that keeps what was told, and when. */
    private final class Told implements LinkEvents {

        private final List<String> all = new ArrayList<>();
        private MemorySegment destination = MemorySegment.ofArray(new byte[4]);
        private boolean refuses;

        private void add(String event) {
            all.add(loop.nanoTime() + " " + event);
        }

        @Override
        public void onFrame(Link from, Frame frame) {
            add("frame " + ((Frame.Dropped) frame).call());
        }

        @Override
        public MemorySegment onDataStart(Link from, long grant, int lengthBytes) {
            if (refuses) {
                throw new ProtocolException("no such grant");
            }
            add("start " + grant + " of " + lengthBytes);
            return destination;
        }

        @Override
        public void onDataEnd(Link from, long grant) {
            add("end " + grant);
        }

        @Override
        public void onDataFailed(Link from, long grant, Throwable fault) {
            add("failed " + grant);
        }

        @Override
        public void onDataLent(Link from, long grant, Loan loan) {
            add("lent " + grant);
        }

        @Override
        public void onWritten(Link from, Frame.Data frame) {
            add("written " + frame.grant());
        }

        @Override
        public void onWriteFailed(Link from, Frame.Data frame, Throwable fault) {
            add("lost " + frame.grant());
        }

        @Override
        public void onWritable(Link from) {
            add("writable");
        }

        @Override
        public void onNews(PeerNews news) {
            add("news " + news);
        }

        @Override
        public void onDown(Link from, @Nullable String cause) {
            add("down " + cause);
        }
    }

    @Test
    void arrivals_areToldLaterByTheLatency_inTheirOrder() {
        events.onFrame(link, new Frame.Dropped(1));
        loop.advanceTo(30);
        MemorySegment payload = events.onDataStart(link, 7, 4);
        payload.fill((byte) 5);
        events.onDataEnd(link, 7);
        events.onFrame(link, new Frame.Dropped(2));
        events.onDown(link, "gone");
        loop.advanceTo(99);
        assertThat(told.all).isEmpty();

        loop.advanceTo(500);

        assertThat(told.all)
                .containsExactly("100 frame 1", "130 start 7 of 4", "130 end 7", "130 frame 2", "130 down gone");
        assertThat(told.destination.toArray(ValueLayout.JAVA_BYTE)).containsOnly(5);
    }

    @Test
    void ownWrites_areToldAtOnce() {
        loop.advanceTo(10);
        events.onWritten(link, new Frame.Data(3, MemorySegment.NULL));
        events.onWriteFailed(
                link, new Frame.Data(4, MemorySegment.NULL), new IllegalStateException("memory was freed"));
        events.onWritable(link);

        assertThat(told.all).containsExactly("10 written 3", "10 lost 4", "10 writable");
    }

    @Test
    void arrivals_afterAPause_areAsLate() {
        events.onFrame(link, new Frame.Dropped(1));
        loop.advanceTo(1000);
        events.onFrame(link, new Frame.Dropped(2));
        loop.advanceTo(2000);

        assertThat(told.all).containsExactly("100 frame 1", "1100 frame 2");
    }

    @Test
    void payload_thatIsRefused_closesTheLink_andIsTheCauseOfItsEnd() {
        told.refuses = true;
        events.onDataStart(link, 1, 4);
        events.onDataEnd(link, 1);
        events.onFrame(link, new Frame.Dropped(2));
        loop.advanceTo(200);
        assertThat(calls).contains("close");
        events.onDown(link, null);
        loop.advanceTo(500);

        assertThat(told.all).containsExactly("300 down no such grant");
    }
}
