/**
 * Optimizers that send less: Adam and LAMB, and the three that send signs of momenta in their place. {@code Optimizer} is what they have in common,
 * {@code RankAverage} how they meet the other ranks, {@code Moments} their arithmetic. They know nothing of networks: parameters and gradients are
 * one array each.
 */
@NullMarked
package io.reactivecomm.samples.programs.optimizer;

import org.jspecify.annotations.NullMarked;
