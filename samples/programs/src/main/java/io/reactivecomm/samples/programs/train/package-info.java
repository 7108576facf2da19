/**
 * {@code rcomm train}: data-parallel training of a small network on handwritten digits. {@code Digits} is the data, {@code Mlp} the
 * model without any communication, {@code MlpStep} how its gradients go through hooks, {@code DataParallel} the training loop.
 * {@code rcomm overlap} trains the same model, wider.
 */
@NullMarked
package io.reactivecomm.samples.programs.train;

import org.jspecify.annotations.NullMarked;
