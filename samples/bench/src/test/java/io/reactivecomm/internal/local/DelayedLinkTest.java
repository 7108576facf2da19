package io.reactivecomm.internal.local;

import io.reactivecomm.samples.bench.latency.DelayedEvents;
import io.reactivecomm.testkit.LinkContract;
import io.reactivecomm.testkit.LinkEnd;
import java.time.Duration;
import java.util.List;

/** Late links between ranks of one JVM do what every link must. In this package for its links, which are nobody else's. */
class DelayedLinkTest extends LinkContract {

    private static final Duration LATENCY = Duration.ofMillis(1);

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
        Locals pair = new Locals(
                new LinkEnd(links.get(0), nearLoop), new LinkEnd(links.get(1), farLoop), nearLoop, farLoop);
        links.get(0).start(new DelayedEvents(nearLoop, LATENCY, pair.near()));
        links.get(1).start(new DelayedEvents(farLoop, LATENCY, pair.far()));
        return pair;
    }

    @Override
    protected boolean canBreak() {
        return false;
    }

    /** As without the delay: frames travel as objects and take no room. */
    @Override
    protected boolean isFilledByFrames() {
        return false;
    }

    @Override
    protected void breakAbruptly(Pair pair) {
        throw new UnsupportedOperationException("ranks of one JVM end together");
    }
}
