/**
 * {@code rcomm train}: data-parallel training of a small network on handwritten digits. {@code Digits} is the data, {@code Mlp} the
 * model without any communication, {@code DataParallel} the training loop that joins both to a process group.
 */
@NullMarked
package io.reactivecomm.samples.train;

import org.jspecify.annotations.NullMarked;
