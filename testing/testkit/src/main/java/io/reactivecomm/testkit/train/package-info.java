/** Contracts of training steps: hooks, buckets, and gradients that a rank lacks. */
@NullMarked
package io.reactivecomm.testkit.train;

import org.jspecify.annotations.NullMarked;
