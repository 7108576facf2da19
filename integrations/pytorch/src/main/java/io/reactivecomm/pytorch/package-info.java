/**
 * Data-parallel training of PyTorch models on the JVM, by the bindings {@code org.bytedeco:pytorch}.
 * {@link io.reactivecomm.pytorch.DistributedDataParallel} is the class that programs use.
 */
@NullMarked
package io.reactivecomm.pytorch;

import org.jspecify.annotations.NullMarked;
