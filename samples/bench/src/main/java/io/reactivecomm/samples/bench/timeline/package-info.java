/** {@code rcomm timeline}: makes one trace of the parts that the ranks of a job have written. */
@NullMarked
package io.reactivecomm.samples.bench.timeline;

import org.jspecify.annotations.NullMarked;
