/**
 * {@code rcomm overlap}: shows how much of the reduction of gradients hides behind the backward pass. {@code TrainingRun} trains and
 * records, {@code StepTimes} is the arithmetic, {@code ChromeTrace} and {@code TimelineChart} draw.
 */
@NullMarked
package io.reactivecomm.rcomm.overlap;

import org.jspecify.annotations.NullMarked;
