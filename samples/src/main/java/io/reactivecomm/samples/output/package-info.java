/** The files that samples leave behind. */
@NullMarked
package io.reactivecomm.samples.output;

import org.jspecify.annotations.NullMarked;
