/** A program that trains a PyTorch model data-parallel: {@link io.reactivecomm.samples.pytorch.DigitsTraining}. */
@NullMarked
package io.reactivecomm.samples.pytorch;

import org.jspecify.annotations.NullMarked;
