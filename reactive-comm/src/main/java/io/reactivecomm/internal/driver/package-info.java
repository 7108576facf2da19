/**
 * The rank's loop: what drives the engine.
 *
 * <p>{@link io.reactivecomm.internal.driver.RankDriver} gives the pure engine a loop, a clock and links, and lets threads meet it through one
 * queue. May touch the engine by its events, and subscribers only between them.
 */
@NullMarked
package io.reactivecomm.internal.driver;

import org.jspecify.annotations.NullMarked;
