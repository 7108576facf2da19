/** {@code rcomm timeline}: makes one trace of the parts that the ranks of a job have written. */
@NullMarked
package io.reactivecomm.rcomm.timeline;

import org.jspecify.annotations.NullMarked;
