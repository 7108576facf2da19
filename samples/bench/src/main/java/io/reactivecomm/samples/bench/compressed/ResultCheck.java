package io.reactivecomm.samples.bench.compressed;

import io.reactivecomm.Tensor;

/** A check of sums, by arithmetic of its own. */
interface ResultCheck {

    /**
     * {@return how many elements are wrong}
     *
     * @param isFirst whether nothing was fed back into it; that of later steps is known only as far as errors are bounded
     */
    long wrong(Tensor result, boolean isFirst);
}
