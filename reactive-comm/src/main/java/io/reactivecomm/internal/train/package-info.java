/** Steps of training on one rank: {@link io.reactivecomm.internal.train.StepMachine} decides, and nothing in it knows of threads, groups or Reactor. */
@NullMarked
package io.reactivecomm.internal.train;

import org.jspecify.annotations.NullMarked;
