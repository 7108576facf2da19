/** {@code rcomm top}: a job's ranks, live in a terminal. */
@NullMarked
package io.reactivecomm.rcomm.top;

import org.jspecify.annotations.NullMarked;
