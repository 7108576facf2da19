/**
 * Codecs that make gradients small: pure functions over tensors in the host's memory, without collectives. Depends on the root package and
 * on the kernels' lanes.
 */
@NullMarked
package io.reactivecomm.compression;

import org.jspecify.annotations.NullMarked;
