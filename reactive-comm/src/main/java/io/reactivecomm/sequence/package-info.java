/**
 * One order of calls for engines that need it: {@link io.reactivecomm.sequence.SequencedEngine} stands in front of an
 * {@link io.reactivecomm.spi.engine.OrderedEngine}, and the ranks' sequencers agree on the order by messages. Depends on the root,
 * {@code collective} and {@code spi} packages.
 */
@NullMarked
package io.reactivecomm.sequence;

import org.jspecify.annotations.NullMarked;
