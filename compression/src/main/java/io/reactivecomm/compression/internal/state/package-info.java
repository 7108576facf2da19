/** The state of compressed calls on one rank: what a step leaves to the next, and how ranks agree which step it is. */
@NullMarked
package io.reactivecomm.compression.internal.state;

import org.jspecify.annotations.NullMarked;
