package io.reactivecomm.rcomm.latency;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Traffic;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ranks on one virtual clock, whose links hand over at once: all time is the shaper's. A byte takes a nanosecond. */
class ShaperTest {

    private static final Rate BYTE_A_NANOSECOND = Rate.parse("8gbit");

    /** Header, status and payload. */
    private static final int KILO = 1000;

    private static final int KILO_PAYLOAD = KILO - 17;

    private final VirtualLoop loop = new VirtualLoop();
    private final List<String> told = new ArrayList<>();

    private LinkShape shape = new LinkShape(Duration.ZERO, BYTE_A_NANOSECOND, 0);

    private static Frame.Data kilo(long grant) {
        return new Frame.Data(grant, MemorySegment.ofArray(new byte[KILO_PAYLOAD]));
    }

    /** Notes what a rank is told, and when. */
    private LinkEvents listener(int rank) {
        return (LinkEvents) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LinkEvents.class}, (proxy, method, arguments) -> {
                    String what = switch (method.getName()) {
                        case "onFrame" -> "frame " + ((Frame.Dropped) arguments[1]).call();
                        case "onDataEnd" -> "data " + arguments[1];
                        case "onWritten" -> "written " + ((Frame.Data) arguments[1]).grant();
                        case "onWritable" -> "writable";
                        default -> "";
                    };
                    if (!what.isEmpty()) {
                        told.add(loop.nanoTime() + ": " + rank + " " + what);
                    }
                    return null;
                });
    }

    /** A rank with shaped links. */
    private final class Rank {

        private final Shaper shaper = new Shaper(loop, shape);
        private final LinkEvents events;

        Rank(int number) {
            this.events = shaper.events(listener(number));
        }

        Link to(Rank other) {
            return shaper.shaped(new InstantLink(other));
        }
    }

    /** A link that is at the other end in no time. */
    private record InstantLink(ShaperTest.Rank other) implements Link {

        @Override
        public void write(Frame frame) {
            if (frame instanceof Frame.Data data) {
                other.events.onDataStart(
                        this, data.grant(), (int) data.payload().byteSize());
                other.events.onDataEnd(this, data.grant());
            } else if (!(frame instanceof Frame.Withdrawn)) {
                other.events.onFrame(this, frame);
            }
        }

        @Override
        public int peer() {
            return 0;
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public boolean copiesEagerBytes() {
            return true;
        }

        @Override
        public void flush() {}

        @Override
        public void withdraw(Frame.Data frame) {}

        @Override
        public void drain(long grant) {}

        @Override
        public Traffic traffic() {
            return Traffic.NONE;
        }

        @Override
        public void close() {}
    }

    @Test
    void oneLink_bringsEachFrameWhenItsLastBitIsThrough() {
        Link link = new Rank(0).to(new Rank(1));
        link.write(kilo(1));
        link.write(new Frame.Dropped(7));
        link.write(kilo(2));
        loop.advanceTo(5000);
        link.write(kilo(3));
        loop.advanceTo(10_000);

        assertThat(told).containsExactly("1000: 1 data 1", "1016: 1 frame 7", "2016: 1 data 2", "6000: 1 data 3");
    }

    @Test
    void twoLinks_shareWhatTheirRankSends() {
        Rank rank = new Rank(0);
        Link one = rank.to(new Rank(1));
        Link two = rank.to(new Rank(2));
        one.write(kilo(1));
        two.write(kilo(2));
        one.write(kilo(3));
        loop.advanceTo(10_000);

        assertThat(told).containsExactly("1000: 1 data 1", "2000: 2 data 2", "3000: 1 data 3");
    }

    @Test
    void twoSenders_shareWhatTheReceiverTakes() {
        Rank receiver = new Rank(0);
        Link one = new Rank(1).to(receiver);
        Link two = new Rank(2).to(receiver);
        one.write(kilo(1));
        two.write(kilo(2));
        one.write(kilo(3));
        loop.advanceTo(10_000);

        assertThat(told).containsExactly("1000: 0 data 1", "2000: 0 data 2", "3000: 0 data 3");
    }

    @Test
    void directions_doNotShare() {
        Rank one = new Rank(1);
        Rank two = new Rank(2);
        one.to(two).write(kilo(1));
        two.to(one).write(kilo(2));
        loop.advanceTo(10_000);

        assertThat(told).containsExactly("1000: 2 data 1", "1000: 1 data 2");
    }

    @Test
    void latency_isAddedAfterTheRate() {
        shape = new LinkShape(Duration.ofNanos(400), BYTE_A_NANOSECOND, 0);
        Link link = new Rank(0).to(new Rank(1));
        link.write(kilo(1));
        link.write(kilo(2));
        loop.advanceTo(10_000);

        assertThat(told).containsExactly("1400: 1 data 1", "2400: 1 data 2");
    }

    @Test
    void burst_goesAtOnceAfterAPause_andNotAgain() {
        shape = new LinkShape(Duration.ZERO, BYTE_A_NANOSECOND, 1500);
        Link link = new Rank(0).to(new Rank(1));
        for (int frame = 1; frame <= 3; frame++) {
            link.write(kilo(frame));
        }
        loop.advanceTo(10_000);
        link.write(kilo(4));
        loop.advanceTo(20_000);

        assertThat(told).containsExactly("0: 1 data 1", "500: 1 data 2", "1500: 1 data 3", "10000: 1 data 4");
    }

    @Test
    void lateTimers_makeFramesLate_butNotLaterAndLater() {
        loop.beLate(300);
        Link link = new Rank(0).to(new Rank(1));
        for (int frame = 1; frame <= 50; frame++) {
            link.write(kilo(frame));
        }
        loop.advanceTo(100_000);

        assertThat(told).hasSize(50).startsWith("1300: 1 data 1").endsWith("50300: 1 data 50");
    }

    @Test
    void waiting_takesOneTimer_howeverManyFramesWait() {
        Link link = new Rank(0).to(new Rank(1));
        for (int frame = 1; frame <= 50; frame++) {
            link.write(kilo(frame));
        }

        assertThat(loop.timers()).isEqualTo(1);
    }

    @Test
    void payload_takenBackWhileItWaits_isWrittenInItsTurn_andDoesNotCome() {
        Link link = new Rank(0).to(new Rank(1));
        Frame.Data withdrawn = kilo(2);
        link.write(kilo(1));
        link.write(withdrawn);
        link.write(kilo(3));
        link.withdraw(withdrawn);
        loop.advanceTo(10_000);

        assertThat(told).containsExactly("1000: 1 data 1", "2000: 0 written 2", "3000: 1 data 3");
    }

    @Test
    void link_thatIsFull_tellsOfRoomOnce() {
        Link link = new Rank(0).to(new Rank(1));
        MemorySegment half = MemorySegment.ofArray(new byte[(1 << 19) - 17]);
        link.write(new Frame.Data(1, half));
        assertThat(link.isWritable()).isTrue();
        link.write(new Frame.Data(2, half));
        assertThat(link.isWritable()).isFalse();
        loop.advanceTo(5_000_000);

        assertThat(link.isWritable()).isTrue();
        assertThat(told).containsExactly("524288: 1 data 1", "524288: 0 writable", "1048576: 1 data 2");
    }

    @Test
    void end_ofALink_sendsWhatWaitsForIt() {
        Rank rank = new Rank(0);
        Link one = rank.to(new Rank(1));
        Link two = rank.to(new Rank(2));
        loop.advanceTo(5000);
        one.write(kilo(1));
        two.write(kilo(2));
        two.close();
        loop.advanceTo(10_000);

        assertThat(told).containsExactly("5000: 2 data 2", "6000: 1 data 1");
    }
}
