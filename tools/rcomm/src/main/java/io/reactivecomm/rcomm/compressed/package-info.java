/**
 * {@code rcomm perf compressed}: what compression saves, in bytes and in time. {@code Race} measures, {@code ResultCheck} says whether
 * one result is right, {@code FeedbackCheck} whether all together are.
 */
@NullMarked
package io.reactivecomm.rcomm.compressed;

import org.jspecify.annotations.NullMarked;
