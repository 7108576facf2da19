/**
 * Training steps: gradients on their way from a backward pass, through hooks that reduce them over ranks, back to the program.
 * {@link io.reactivecomm.train.TrainingStep} is implemented by a training framework, {@link io.reactivecomm.train.GradientHook} by an author of hooks.
 */
@NullMarked
package io.reactivecomm.train;

import org.jspecify.annotations.NullMarked;
