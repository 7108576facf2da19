/**
 * Links that are as slow as those of a far network, for experiments on one machine: whatever a link brings is delivered later, in its
 * order, at its own bandwidth.
 */
@NullMarked
package io.reactivecomm.samples.bench.latency;

import org.jspecify.annotations.NullMarked;
