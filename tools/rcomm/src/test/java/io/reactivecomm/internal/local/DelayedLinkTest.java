package io.reactivecomm.internal.local;

import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.rcomm.latency.Rate;
import io.reactivecomm.rcomm.latency.Shaper;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.testkit.link.LinkContract;
import io.reactivecomm.testkit.link.LinkEnd;
import java.time.Duration;
import java.util.List;

/** Slow links between ranks of one JVM do what every link must. In this package for its links, which are nobody else's. */
class DelayedLinkTest extends LinkContract {

    /** So fast that tests are, and slow enough for all to wait that is long. */
    private static final LinkShape SHAPE = LinkShape.of(Duration.ofMillis(1), Rate.parse("4gbit"));

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
        Shaper nearShaper = new Shaper(nearLoop, SHAPE);
        Shaper farShaper = new Shaper(farLoop, SHAPE);
        Link near = nearShaper.shaped(links.get(0));
        Link far = farShaper.shaped(links.get(1));
        Locals pair = new Locals(new LinkEnd(near, nearLoop), new LinkEnd(far, farLoop), nearLoop, farLoop);
        links.get(0).start(nearShaper.events(pair.near()));
        links.get(1).start(farShaper.events(pair.far()));
        return pair;
    }

    @Override
    protected boolean canBreak() {
        return false;
    }

    /** Frames wait in the queue, too. */
    @Override
    protected boolean isFilledByFrames() {
        return true;
    }

    @Override
    protected void breakAbruptly(Pair pair) {
        throw new UnsupportedOperationException("ranks of one JVM end together");
    }
}
