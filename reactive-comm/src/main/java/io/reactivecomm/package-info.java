/**
 * All that a user names: the entry {@link io.reactivecomm.ReactiveComm}, {@link io.reactivecomm.ProcessGroup} with its
 * collectives, {@link io.reactivecomm.Tensor} and what goes with it, and the errors below
 * {@link io.reactivecomm.CommException}. It depends on no other package of the library; implementations are found
 * through {@link io.reactivecomm.WorldProvider}.
 */
@NullMarked
package io.reactivecomm;

import org.jspecify.annotations.NullMarked;
