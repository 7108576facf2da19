package io.reactivecomm.netty.internal.life;

import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.PeerNews;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hands news of peers on to the engine, once there is one.
 *
 * <p><b>Threads.</b> The loop; {@link #hearsOfClocks} any.
 */
public final class PeerNewsRelay {

    private final List<PeerNews> early = new ArrayList<>();
    private volatile @Nullable LinkEvents events;

    public void tell(PeerNews news) {
        LinkEvents to = events;
        if (to == null) {
            early.add(news);
        } else {
            tell(to, news);
        }
    }

    /** Clocks may have been compared before it was known that nobody wants to hear of that. */
    private static void tell(LinkEvents to, PeerNews news) {
        if (!(news instanceof PeerNews.ClockCompared) || to.hearsOfClocks()) {
            to.onNews(news);
        }
    }

    /** {@return whether comparisons of clocks are of use} It is not known before there is an engine. */
    public boolean hearsOfClocks() {
        LinkEvents to = events;
        return to == null || to.hearsOfClocks();
    }

    /** From now on there is somebody to tell. */
    public void start(LinkEvents sink) {
        events = sink;
        early.forEach(news -> tell(sink, news));
        early.clear();
    }
}
