package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.rcomm.latency.LinkShape;
import java.util.List;

/**
 * One run, as all ranks saw it.
 *
 * @param links how the ranks were linked, to be shown
 * @param shape of the links
 * @param contents what buckets sent
 * @param ranks what each rank has of it; index = rank
 */
record OverlapRun(String links, LinkShape shape, Contents contents, Variant variant, List<RankRun> ranks) {

    /** {@return whether it reduced the same after the backward pass, over the links of that run} */
    boolean isReferenceOf(OverlapRun run) {
        return variant == Variant.REDUCE_AFTER_BACKWARD && isOverLinksOf(run) && isOfContentsOf(run);
    }

    /** {@return whether it is that run with plain buckets} */
    boolean isPlainOf(OverlapRun run) {
        return variant == run.variant && isOverLinksOf(run) && contents.isPlain();
    }

    /** {@return whether both end in the same parameters: what compression loses is not what others lose} */
    boolean isOfContentsOf(OverlapRun run) {
        return contents.equals(run.contents);
    }

    private boolean isOverLinksOf(OverlapRun run) {
        return links.equals(run.links) && shape.equals(run.shape);
    }

    /** {@return its name, to be shown} */
    String title() {
        return links + ", " + variant + (contents.isPlain() ? "" : ", " + contents);
    }
}
