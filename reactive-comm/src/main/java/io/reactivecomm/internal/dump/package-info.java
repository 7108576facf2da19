/**
 * The dumps of ranks' flight recorders: looked at with or without the loop, and written when a program asks, when something fails, and by signal.
 */
@NullMarked
package io.reactivecomm.internal.dump;

import org.jspecify.annotations.NullMarked;
