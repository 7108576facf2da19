/**
 * Micrometer's meters and observations of calls: {@link io.reactivecomm.metrics.CommMetrics} and {@link io.reactivecomm.metrics.CommObservations}, both of them
 * observers. Only this package names Micrometer, which is an optional dependency: who uses none of it needs no Micrometer on the class path.
 */
@NullMarked
package io.reactivecomm.metrics;

import org.jspecify.annotations.NullMarked;
