/**
 * The progress engine: calls from their submission to their end, agreement between ranks, deadlines, and the ends of groups.
 *
 * <p>{@link io.reactivecomm.internal.engine.Engine} is pure: (state, event, now) → effects. It owns no clock, thread or randomness, so a
 * simulator can drive whole worlds of it; how a call lives in it is told there. {@code driver} gives it a loop, a clock and links. What moves
 * the bytes of a call is below, in {@code transfer}; process groups are above, in {@code group}.
 */
@NullMarked
package io.reactivecomm.internal.engine;

import org.jspecify.annotations.NullMarked;
