/**
 * Onlookers of calls: what a {@link io.reactivecomm.observe.CommObserver} is told, and what it can read of a call. Loggers, timelines and metrics are
 * made of this. It names nothing of the rest of the library, so that all of it may name this.
 */
@NullMarked
package io.reactivecomm.observe;

import org.jspecify.annotations.NullMarked;
