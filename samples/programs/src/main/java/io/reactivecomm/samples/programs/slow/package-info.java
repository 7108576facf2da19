/** A job that is slow on purpose, and what a person who looks at it sees: the example of docs/slow-job.md. */
@NullMarked
package io.reactivecomm.samples.programs.slow;

import org.jspecify.annotations.NullMarked;
