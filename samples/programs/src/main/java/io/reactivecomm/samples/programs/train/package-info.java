/**
 * {@code rcomm train}: data-parallel training of a small network on handwritten digits. {@code Digits} is the data, {@code Mlp} the
 * model without any communication, {@code DataParallel} the training loop, {@code GradientDescent} and {@code MlpStep} how gradients go through hooks, {@code OptimizerRule} how
 * they go to an optimizer. {@code TrainComparison} trains in several ways.
 * {@code rcomm overlap} trains the same model, wider.
 */
@NullMarked
package io.reactivecomm.samples.programs.train;

import org.jspecify.annotations.NullMarked;
