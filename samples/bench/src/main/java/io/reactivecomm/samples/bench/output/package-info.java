/** The files of measurements, and those that a run needs for itself. */
@NullMarked
package io.reactivecomm.samples.bench.output;

import org.jspecify.annotations.NullMarked;
