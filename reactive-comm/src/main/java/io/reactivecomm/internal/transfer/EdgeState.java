package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;

/** A receiver's knowledge of how much of an edge is ready at the sender. */
final class EdgeState {

    private final long count;
    private final int elementBytes;
    private long ready;
    private boolean announced;
    private boolean comesByGrant;

    EdgeState(long count, int elementBytes) {
        this.count = count;
        this.elementBytes = elementBytes;
    }

    /** Checks an announcement against the edge and takes it in. */
    void announced(Frame.Edge news) {
        boolean wholeIsHere = news.isEager();
        boolean fits =
                news.ready() >= ready && news.ready() <= count && (!wholeIsHere || (!announced && !comesByGrant));
        if (!fits || (wholeIsHere && news.eager().byteSize() != count * elementBytes)) {
            throw new ProtocolException("an announcement does not fit its edge: ready=" + news.ready() + ", eager="
                    + news.eager().byteSize() + ", count=" + count + ", elementBytes=" + elementBytes);
        }
        ready = news.ready();
        announced = true;
    }

    long ready() {
        return ready;
    }

    /** The edge never travels with its announcement. */
    void comesByGrant() {
        comesByGrant = true;
    }

    boolean isByGrant() {
        return comesByGrant;
    }

    /** {@return whether anything was announced, which for an edge without elements is all there is to know} */
    boolean isAnnounced() {
        return announced;
    }

    int elementBytes() {
        return elementBytes;
    }
}
