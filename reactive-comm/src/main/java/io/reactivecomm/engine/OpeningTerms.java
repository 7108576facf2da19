package io.reactivecomm.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Frame;
import java.util.List;

/** What a rank tells a peer of a call, and whether the peer says the same. Without state; used on the loop. */
final class OpeningTerms {

    private OpeningTerms() {}

    /** {@return what this rank says when it opens a call towards a partner} */
    static Frame.Open opening(Call call, Partner partner, List<Frame.Edge> edges) {
        CallKey key = call.key();
        if (key == null) {
            throw new IllegalStateException("a call without identity opens: call=" + call.label());
        }
        return new Frame.Open(
                key, call.number(), partner.remoteCall(), call.signature(), partner.outgoing(), partner.incoming(), site(call), edges);
    }

    /** {@return whether a peer's opening says what this rank's call says: the same call, and the same transfers between the two} */
    static boolean agrees(Call call, Partner partner, Frame.Open open) {
        boolean sameSite = open.site() == 0 || site(call) == 0 || open.site() == site(call);
        boolean sameTransfers = open.outgoing() == partner.incoming() && open.incoming() == partner.outgoing();
        return open.signature().equals(call.signature()) && sameTransfers && sameSite;
    }

    /** {@return a hash of the place that assembled the call; 0 if that is not known} */
    private static long site(Call call) {
        String site = call.submission().site();
        return site.isEmpty() ? 0 : site.hashCode() | 1L << 32;
    }
}
