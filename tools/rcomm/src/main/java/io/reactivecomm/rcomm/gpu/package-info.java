/** The command {@code rcomm gpu-check}: the table and the JSON of a check of a GPU, and a packing of it for a machine without Java. */
@NullMarked
package io.reactivecomm.rcomm.gpu;

import org.jspecify.annotations.NullMarked;
