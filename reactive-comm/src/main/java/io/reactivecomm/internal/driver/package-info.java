/**
 * The rank's loop: what drives the engine.
 *
 * <p>{@link io.reactivecomm.internal.driver.RankDriver} gives the pure engine a loop, a clock and a turn: what links tell comes by {@code LinkInput},
 * what threads ask by one queue, {@code Inflow}, and {@code Entries}. May touch the engine by its events, and subscribers only between them.
 */
@NullMarked
package io.reactivecomm.internal.driver;

import org.jspecify.annotations.NullMarked;
