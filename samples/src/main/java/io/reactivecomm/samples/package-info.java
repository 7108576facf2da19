/** The {@code rcomm} command. */
@NullMarked
package io.reactivecomm.samples;

import org.jspecify.annotations.NullMarked;
