/**
 * Hooks for training frameworks: a framework hands gradients over as its backward pass makes them and takes them back reduced over the
 * ranks, without knowing of ranks. {@link io.reactivecomm.hook.TrainingStep} is what a framework implements,
 * {@link io.reactivecomm.hook.GradientHooks} where hooks are registered, {@link io.reactivecomm.hook.ParallelHooks} makes them.
 */
@NullMarked
package io.reactivecomm.hook;

import org.jspecify.annotations.NullMarked;
