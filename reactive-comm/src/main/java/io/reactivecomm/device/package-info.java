/** Devices: their memory, moves between memories, kernels, and handles of work that runs on them. */
@NullMarked
package io.reactivecomm.device;

import org.jspecify.annotations.NullMarked;
