/** The files of measurements, and those that a run needs for itself. */
@NullMarked
package io.reactivecomm.rcomm.output;

import org.jspecify.annotations.NullMarked;
