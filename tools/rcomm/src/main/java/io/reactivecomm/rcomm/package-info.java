/** The {@code rcomm} command: what it measures and predicts is in packages below, what it trains in the module of programs. */
@NullMarked
package io.reactivecomm.rcomm;

import org.jspecify.annotations.NullMarked;
