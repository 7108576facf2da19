package io.reactivecomm.internal.transfer;

import io.reactivecomm.kernel.FoldKernel;

/**
 * The kernel and widths with which folds of one type and operation work.
 *
 * @param elementBytes the width of an element of a tensor
 * @param partialBytes the width of one that is not finished
 */
record FoldTools(FoldKernel kernel, int elementBytes, int partialBytes) {

    int width(boolean isPartial) {
        return isPartial ? partialBytes : elementBytes;
    }
}
