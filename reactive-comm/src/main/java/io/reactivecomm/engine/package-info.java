/**
 * The progress engine: a single-threaded state machine that runs schedules over links, and the process group in front of it.
 *
 * <p>{@link io.reactivecomm.engine.Engine} is pure: (state, event, now) → effects. It owns no clock, thread or randomness, so a
 * simulator can drive whole worlds of it. {@link io.reactivecomm.engine.RankDriver} gives it a loop, a clock and links. Depends on all
 * packages but {@code local}.
 */
@NullMarked
package io.reactivecomm.engine;

import org.jspecify.annotations.NullMarked;
