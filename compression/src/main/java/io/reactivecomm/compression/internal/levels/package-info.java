/** One level of a quantised reduce-scatter, and the errors of what it quantises. */
@NullMarked
package io.reactivecomm.compression.internal.levels;

import org.jspecify.annotations.NullMarked;
