package io.reactivecomm.local;

import io.reactivecomm.testkit.LinkContract;
import io.reactivecomm.testkit.LinkEnd;
import java.util.List;

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
        Locals pair = new Locals(
                new LinkEnd(links.get(0), nearLoop), new LinkEnd(links.get(1), farLoop), nearLoop, farLoop);
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
}
