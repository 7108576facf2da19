/**
 * Gradients of a model fused into buckets, each reduced by one call while the backward pass goes on:
 * {@link io.reactivecomm.bucket.GradientBuckets}. Depends on the root package and the hooks only.
 */
@NullMarked
package io.reactivecomm.bucket;

import org.jspecify.annotations.NullMarked;
