/** The format of the parts of a trace, as timelines write it and tools read it. */
@NullMarked
package io.reactivecomm.internal.timeline;

import org.jspecify.annotations.NullMarked;
