/** A job seen from outside while it runs: what each of its ranks does, and whom it waits for. */
@NullMarked
package io.reactivecomm.live;

import org.jspecify.annotations.NullMarked;
