/**
 * A seeded fuzz of chains of hooks: programs that put operators of Reactor's between hooks and behind them, on one rank in one step.
 *
 * <p>{@link io.reactivecomm.testkit.chain.ChainFuzz} searches seeds. A seed makes a plan of operators, whose catalogue is in files by what they do to
 * gradients; a world runs it, each rank on a thread of its own, and a judge says whether each sum is right and each step ends as it should.
 */
@NullMarked
package io.reactivecomm.testkit.chain;

import org.jspecify.annotations.NullMarked;
