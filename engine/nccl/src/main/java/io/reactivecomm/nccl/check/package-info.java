/**
 * A check of a machine with a GPU, which {@code rcomm gpu-check} runs: whether the driver, the library and calls from Java do there what the engine needs,
 * and what they cost beside a program in C.
 */
@NullMarked
package io.reactivecomm.nccl.check;

import org.jspecify.annotations.NullMarked;
