/**
 * {@code rcomm perf compressed}: what compression saves, in bytes and in time. {@code Race} measures, {@code ResultCheck} says whether
 * results are right, {@code Compression} is what there is to choose.
 */
@NullMarked
package io.reactivecomm.samples.bench.compressed;

import org.jspecify.annotations.NullMarked;
