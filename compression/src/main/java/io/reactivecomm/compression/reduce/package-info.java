/** Reductions in which elements travel encoded: compressed all-reduces, alone and in gradient buckets, with the state of their error feedback. */
@NullMarked
package io.reactivecomm.compression.reduce;

import org.jspecify.annotations.NullMarked;
