/** What all readers of a job's state share. */
@NullMarked
package io.reactivecomm.observability.internal;

import org.jspecify.annotations.NullMarked;
