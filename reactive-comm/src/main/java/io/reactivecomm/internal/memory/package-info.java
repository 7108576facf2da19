/** Tensors: their memory on the host and on devices, its allocation, its release, and the detection of tensors that are never closed. */
@NullMarked
package io.reactivecomm.internal.memory;

import org.jspecify.annotations.NullMarked;
