package io.reactivecomm.spi.link;

/**
 * The traits of a link by which the engine decides, once, how much to have under way on it. They hold for as long as the link lives.
 *
 * @param windowBytes how many bytes under way from the peer keep the link busy, where that is known; more is no use
 * @param bulkBytes how many bytes are best asked for at once of what lies ready and only has to be moved; two such pieces may be under way
 *     beside the window. Less than a usual piece leaves pieces as they are
 * @param sharesMemory whether both ends reach the same memory, so that a payload is copied once or not at all; the same at both
 */
public record LinkTraits(int windowBytes, int bulkBytes, boolean sharesMemory) {

    /** Those of a link that wishes for nothing: the engine's limits hold. */
    public static final LinkTraits USUAL = new LinkTraits(Integer.MAX_VALUE, 0, false);

    /** {@return whether the link does not know how much keeps it busy, as between machines: what comes over it tells} */
    public boolean hasUnknownWay() {
        return windowBytes == Integer.MAX_VALUE && !sharesMemory;
    }

    /** {@return the same within one memory} */
    public LinkTraits withinOneMemory() {
        return new LinkTraits(windowBytes, bulkBytes, true);
    }
}
