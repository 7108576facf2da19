/**
 * The rows of {@code rcomm gpu-check} about a GPU: whether the driver, the library and calls from Java do there what the engine needs,
 * and what they cost compared with a program in C.
 */
@NullMarked
package io.reactivecomm.rcomm.gpu.check;

import org.jspecify.annotations.NullMarked;
