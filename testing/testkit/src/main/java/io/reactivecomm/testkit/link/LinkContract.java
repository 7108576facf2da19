package io.reactivecomm.testkit.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.testkit.link.LinkEnd.Event;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of every link: to move frames whole and in order, let go of memory when told, and end in one of two ways. */
public abstract class LinkContract extends LinkFixture {

    private static final int LARGE_BYTES = 4 << 20;

    @Tag("smoke")
    @Test
    void frames_ofEachKind_arriveInOrder() {
        List<Frame> frames = Frames.ofEachKind();

        near().send(frames);
        far().send(frames);

        for (LinkEnd end : List.of(near(), far())) {
            assertThat(end.next(Event.Framed.class, frames.size()))
                    .extracting(Event.Framed::frame)
                    .isEqualTo(frames);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8191, 65_536})
    void frames_withBytesInThem_arriveWhole(int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        new Random(lengthBytes).nextBytes(bytes);

        near().send(Frames.withEagerBytes(bytes));

        for (Event.Framed event : far().next(Event.Framed.class, 2)) {
            assertThat(Frames.eagerBytes(event.frame())).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 4096, 256 << 10, LARGE_BYTES + 1})
    void data_goesWhereTheReceiverSays(int lengthBytes) {
        MemorySegment destination = filled(lengthBytes + 16, 0);
        far().expect(5, destination.asSlice(8, lengthBytes));

        near().send(List.of(new Frame.Data(5, filled(lengthBytes, 9)), new Frame.Dropped(1)));

        assertThat(far().next(Event.DataStart.class)).isEqualTo(new Event.DataStart(5, lengthBytes));
        assertThat(far().next(Event.DataEnd.class).grant()).isEqualTo(5);
        requireFilled(destination.asSlice(8, lengthBytes), 9);
        requireFilled(destination.asSlice(0, 8), 0);
        requireFilled(destination.asSlice(8 + lengthBytes), 0);
        assertThat(near().next(Event.Written.class).grant()).isEqualTo(5);
        assertThat(far().next(Event.Framed.class).frame()).isEqualTo(new Frame.Dropped(1));
    }

    @Test
    void data_withoutADestination_isForgotten() {
        far().expect(2, filled(100, 0));

        near().send(List.of(
                new Frame.Data(1, filled(LARGE_BYTES, 1)), new Frame.Data(2, filled(100, 2)), new Frame.Goodbye()));

        assertThat(far().next(Event.DataEnd.class, 2))
                .extracting(Event.DataEnd::grant)
                .containsExactly(1L, 2L);
        far().next(Event.Framed.class);
        assertThat(near().next(Event.Written.class, 2))
                .extracting(Event.Written::grant)
                .containsExactly(1L, 2L);
    }

    @Test
    void data_withdrawnBeforeAndWhileItIsSent_arrivesAsItWasOrNotAtAll() {
        List<MemorySegment> payloads = IntStream.range(0, 6)
                .mapToObj(i -> filled(i % 2 == 0 ? LARGE_BYTES : 100, i))
                .toList();
        List<MemorySegment> destinations = payloads.stream()
                .map(payload -> filled((int) payload.byteSize(), 99))
                .toList();
        List<Frame.Data> frames = new ArrayList<>();
        for (int i = 0; i < payloads.size(); i++) {
            frames.add(new Frame.Data(i, payloads.get(i)));
            far().expect(i, destinations.get(i));
        }

        near().call(link -> {
            frames.subList(0, 3).forEach(link::write);
            scribble(frames.get(1), link::withdraw);
            frames.subList(3, 6).forEach(link::write);
            link.flush();
            frames.stream().filter(frame -> frame != frames.get(1)).forEach(frame -> scribble(frame, link::withdraw));
        });

        for (int i = 0; i < frames.size(); i++) {
            if (far().nextAnswer() instanceof Event.DataEnd end) {
                requireFilled(destinations.get((int) end.grant()), (int) end.grant());
            }
        }
        assertThat(near().next(Event.Written.class, frames.size()))
                .extracting(Event.Written::grant)
                .containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L);
    }

    /** What the owner of the memory may do as soon as the link has let go of it. */
    private static void scribble(Frame.Data frame, Consumer<Frame.Data> withdraw) {
        withdraw.accept(frame);
        frame.payload().fill((byte) 0xEE);
    }

    @Test
    void data_withdrawnAfterItWasWritten_isNoMatter() {
        Frame.Data frame = new Frame.Data(1, filled(100, 3));
        MemorySegment destination = filled(100, 0);
        far().expect(1, destination);
        near().send(List.of(frame));
        near().next(Event.Written.class);

        near().call(link -> scribble(frame, link::withdraw));
        near().send(List.of(new Frame.Dropped(4)));

        far().next(Event.DataEnd.class);
        far().next(Event.Framed.class);
        requireFilled(destination, 3);
    }

    @Test
    void data_drainedMidWay_touchesItsDestinationNoMore() {
        for (int grant = 0; grant < 4; grant++) {
            MemorySegment destination = filled(LARGE_BYTES, 0);
            long drained = grant;
            far().expect(grant, destination);
            far().onEvent(event -> {
                if (event instanceof Event.DataStart) {
                    far().loop().execute(() -> far().drainAndFill(drained, destination, 0x77));
                }
            });

            near().send(List.of(new Frame.Data(grant, filled(LARGE_BYTES, 1)), new Frame.Dropped(grant)));

            far().next(Event.DataEnd.class);
            assertThat(far().next(Event.Framed.class).frame()).isEqualTo(new Frame.Dropped(grant));
            far().call(link -> requireFilled(destination, 0x77));
        }
    }

    @Test
    void link_whosePeerDoesNotRead_takesNoMoreData_untilItDoes() {
        CountDownLatch release = new CountDownLatch(1);
        far().loop().execute(() -> awaitOn(release));
        MemorySegment payload = filled(64 << 10, 1);
        int[] sent = {0};

        near().call(link -> {
            while (link.isWritable() && sent[0] < 5000) {
                link.write(new Frame.Data(sent[0]++, payload));
                link.flush();
            }
            assertThat(link.isWritable())
                    .as("room for more after %d pieces", sent[0])
                    .isFalse();
        });
        release.countDown();

        near().next(Event.Writable.class);
        near().call(link -> assertThat(link.isWritable()).isTrue());
        assertThat(far().next(Event.DataEnd.class, sent[0]))
                .last()
                .extracting(Event.DataEnd::grant)
                .isEqualTo(sent[0] - 1L);
    }

    /** Whoever waits with a payload because frames have filled the link has written none that could make the link tell of room. */
    @Test
    void link_thatFramesHaveFilled_tellsWhenThereIsRoomForData() {
        CountDownLatch release = new CountDownLatch(1);
        far().loop().execute(() -> awaitOn(release));
        Frame large = new Frame.Announce(8, new Frame.Edge(0, 1, filled(64 << 10, 1)));
        boolean[] full = {false};

        near().call(link -> {
            for (int sent = 0; sent < 200; sent++) {
                link.write(large);
                link.flush();
            }
            full[0] = !link.isWritable();
        });
        release.countDown();

        assertThat(full[0]).as("full of frames").isEqualTo(isFilledByFrames());
        if (isFilledByFrames()) {
            near().next(Event.Writable.class);
        }
        assertThat(far().next(Event.Framed.class, 200)).hasSize(200);
        near().call(link -> assertThat(link.isWritable()).isTrue());
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3})
    void traffic_inBothDirectionsAtOnce_staysInOrder(long seed) {
        for (LinkEnd end : List.of(near(), far())) {
            Random random = new Random(seed);
            LinkEnd other = end == near() ? far() : near();
            for (int i = 0; i < 300; i++) {
                if (random.nextInt(3) == 0) {
                    int lengthBytes = 1 + random.nextInt(random.nextBoolean() ? 100 : 100_000);
                    other.expect(i, filled(lengthBytes, 0));
                    end.send(List.of(new Frame.Data(i, filled(lengthBytes, i))));
                } else {
                    end.send(List.of(new Frame.Dropped(i)));
                }
            }
        }
        for (LinkEnd end : List.of(near(), far())) {
            Random random = new Random(seed);
            ArrayDeque<Event> begun = new ArrayDeque<>();
            for (int i = 0; i < 300; i++) {
                if (random.nextInt(3) == 0) {
                    int lengthBytes = 1 + random.nextInt(random.nextBoolean() ? 100 : 100_000);
                    Event arrival = nextBeside(begun, end);
                    assertThat(begun.remove()).isEqualTo(new Event.DataStart(i, lengthBytes));
                    assertThat(arrival).isEqualTo(new Event.DataEnd(i));
                    requireFilled(end.destination(i), i);
                } else {
                    assertThat(nextBeside(begun, end)).isEqualTo(new Event.Framed(new Frame.Dropped(i)));
                }
            }
        }
    }

    /** {@return what came next; beginnings of payloads, which may come before the ends of others, go into that queue} */
    private static Event nextBeside(ArrayDeque<Event> begun, LinkEnd end) {
        Event event = end.nextArrival();
        while (event instanceof Event.DataStart) {
            begun.add(event);
            event = end.nextArrival();
        }
        return event;
    }

    @Test
    void close_afterGoodbye_flushesAndEndsBothInGoodOrder() {
        MemorySegment destination = filled(LARGE_BYTES, 0);
        far().expect(1, destination);

        near().call(link -> {
            link.write(new Frame.Data(1, filled(LARGE_BYTES, 6)));
            link.write(new Frame.Goodbye());
            link.close();
            link.close();
        });

        far().next(Event.DataEnd.class);
        requireFilled(destination, 6);
        assertThat(far().next(Event.Framed.class).frame()).isEqualTo(new Frame.Goodbye());
        assertThat(far().next(Event.Down.class).cause())
                .as("the end after a goodbye")
                .isNull();
        assertThat(near().next(Event.Down.class).cause()).as("the own end").isNull();
        near().call(link -> {
            link.write(new Frame.Dropped(1));
            link.write(new Frame.Data(2, destination));
            link.flush();
            link.close();
        });
        far().call(link -> {
            link.write(new Frame.Dropped(1));
            link.flush();
            link.close();
        });
        assertThat(near().rest()).isEmpty();
        assertThat(far().rest()).isEmpty();
    }

    @Test
    void close_ofBothEndsAtOnce_endsBothInGoodOrder() {
        for (LinkEnd end : List.of(near(), far())) {
            end.call(link -> {
                link.write(new Frame.Goodbye());
                link.close();
            });
        }

        assertThat(near().next(Event.Down.class).cause()).isNull();
        assertThat(far().next(Event.Down.class).cause()).isNull();
    }

    @Test
    void link_thatBreaks_saysWhyOnce() {
        assumeTrue(canBreak(), "a link of this kind does not break without a word");
        near().send(List.of(new Frame.Dropped(1)));
        far().next(Event.Framed.class);

        breakAbruptly(pair());

        assertThat(near().next(Event.Down.class).cause()).isNotEmpty();
        near().call(link -> {
            link.write(new Frame.Data(1, filled(100, 1)));
            link.flush();
            link.close();
        });
        assertThat(near().rest()).isEmpty();
    }

    @Test
    void data_thatAnswersNoGrant_endsTheLinkOnBothSides() {
        far().refuseData();

        near().send(List.of(new Frame.Data(1, filled(100, 1)), new Frame.Dropped(1)));

        far().next(Event.DataStart.class);
        assertThat(far().next(Event.Down.class).cause()).contains("data answers no grant: grant=1");
        near().next(Event.Down.class);
        assertThat(far().rest()).isEmpty();
    }
}
