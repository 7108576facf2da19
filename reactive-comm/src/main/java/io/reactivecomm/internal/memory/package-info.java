/** Tensors: their memory on the host and on devices, its allocation, its release, and the watch over what is never closed. */
@NullMarked
package io.reactivecomm.internal.memory;

import org.jspecify.annotations.NullMarked;
