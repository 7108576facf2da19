/**
 * Logs of calls by their kinds: how often, how long, how fast, and what the time was spent with. A {@link io.reactivecomm.timing.CommsLogger} is an
 * observer of calls, a {@link io.reactivecomm.timing.CommsSummary} what it has seen, and {@link io.reactivecomm.timing.Stragglers} what several
 * ranks have.
 */
@NullMarked
package io.reactivecomm.timing;

import org.jspecify.annotations.NullMarked;
