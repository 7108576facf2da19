package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Loan;
import io.reactivecomm.testkit.link.LinkContract;
import io.reactivecomm.testkit.link.LinkEnd;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class LocalLinkTest extends LinkContract {

    /** Two loops and the link between them. */
    private record Locals(LinkEnd near, LinkEnd far, LocalLoop nearLoop, LocalLoop farLoop) implements Pair {

        @Override
        public void close() {
            nearLoop.end();
            farLoop.end();
        }
    }

    @Override
    protected Pair connect() {
        LocalLoop nearLoop = new LocalLoop("rcomm-test-near");
        LocalLoop farLoop = new LocalLoop("rcomm-test-far");
        List<LocalLink> links = LocalLink.pair(0, nearLoop, 1, farLoop);
        Locals pair =
                new Locals(new LinkEnd(links.get(0), nearLoop), new LinkEnd(links.get(1), farLoop), nearLoop, farLoop);
        links.get(0).start(pair.near());
        links.get(1).start(pair.far());
        return pair;
    }

    @Override
    protected boolean canBreak() {
        return false;
    }

    /** Frames travel as objects and take no room here; what they may bring unasked is bounded by the engine's credit. */
    @Override
    protected boolean isFilledByFrames() {
        return false;
    }

    @Override
    protected void breakAbruptly(Pair pair) {
        throw new UnsupportedOperationException("ranks of one JVM end together");
    }

    /** The two ends of a link whose events are the test's own. */
    private record Links(LocalLoop nearLoop, LocalLoop farLoop, LocalLink near, LocalLink far)
            implements AutoCloseable {

        private static Links make() {
            LocalLoop nearLoop = new LocalLoop("rcomm-test-near");
            LocalLoop farLoop = new LocalLoop("rcomm-test-far");
            List<LocalLink> links = LocalLink.pair(0, nearLoop, 1, farLoop);
            return new Links(nearLoop, farLoop, links.get(0), links.get(1));
        }

        @Override
        public void close() {
            nearLoop.end();
            farLoop.end();
        }
    }

    /** {@return events of which one kind is written down, and throws the first time} */
    private static LinkEvents throwingOnce(String kind, BlockingQueue<Object> told) {
        AtomicBoolean hasThrown = new AtomicBoolean();
        return (LinkEvents) Proxy.newProxyInstance(
                LinkEvents.class.getClassLoader(), new Class<?>[] {LinkEvents.class}, (_, event, arguments) -> {
                    if (event.getName().equals(kind)) {
                        told.add(arguments[1]);
                        if (!hasThrown.getAndSet(true)) {
                            throw new IllegalStateException("the first " + kind);
                        }
                    } else if (event.getName().equals("onDataLent")) {
                        ((Loan) arguments[2]).giveBack();
                    }
                    return null;
                });
    }

    private static void requireTold(BlockingQueue<Object> told, Frame... frames) throws InterruptedException {
        for (Frame frame : frames) {
            assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo(frame);
        }
    }

    /** Nothing but a frame that comes to an empty queue has it delivered. */
    @Test
    void framesBehindOneWhoseTakerThrows_areDelivered() throws Exception {
        BlockingQueue<Object> told = new LinkedBlockingQueue<>();
        try (Links pair = Links.make()) {
            LocalLink near = pair.near;
            LocalLink far = pair.far;
            far.start(throwingOnce("onFrame", told));
            pair.nearLoop.execute(() -> {
                for (int call = 1; call <= 3; call++) {
                    near.write(new Frame.Dropped(call));
                }
                near.flush();
                near.write(new Frame.Dropped(4));
                near.flush();
            });
            requireTold(told, new Frame.Dropped(1), new Frame.Dropped(2), new Frame.Dropped(3), new Frame.Dropped(4));
        }
    }

    /** All that were read are given back in one message. */
    @Test
    void payloadsBehindOneWhoseSenderThrows_areTold() throws Exception {
        BlockingQueue<Object> written = new LinkedBlockingQueue<>();
        try (Links pair = Links.make()) {
            LocalLink near = pair.near;
            LocalLink far = pair.far;
            near.start(throwingOnce("onWritten", written));
            far.start(throwingOnce("onFrame", new LinkedBlockingQueue<>()));
            Frame.Data[] all = new Frame.Data[3];
            Arrays.setAll(all, grant -> new Frame.Data(grant, MemorySegment.ofArray(new byte[8])));
            pair.nearLoop.execute(() -> {
                for (Frame.Data data : all) {
                    near.write(data);
                }
                near.flush();
                // Behind the three, each of which is read in a task of its own.
                pair.farLoop.execute(
                        () -> pair.farLoop.execute(() -> pair.farLoop.execute(() -> pair.farLoop.execute(far::flush))));
            });
            requireTold(written, all);
        }
    }
}
