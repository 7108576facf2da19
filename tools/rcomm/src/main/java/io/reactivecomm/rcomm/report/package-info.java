/** {@code rcomm report}: one page of what the ranks of a job have recorded. */
@NullMarked
package io.reactivecomm.rcomm.report;

import org.jspecify.annotations.NullMarked;
