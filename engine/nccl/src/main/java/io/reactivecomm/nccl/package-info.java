/**
 * An engine of collectives on GPUs: NCCL, called through {@code java.lang.foreign}, with streams, events and memory of the devices by JCuda; chosen by
 * {@code RCOMM_BACKEND=cuda:nccl}.
 */
@NullMarked
package io.reactivecomm.nccl;

import org.jspecify.annotations.NullMarked;
