/** The arithmetic of PowerSGD: matrices, their factors, and one step of all of them. */
@NullMarked
package io.reactivecomm.compression.internal.lowrank;

import org.jspecify.annotations.NullMarked;
