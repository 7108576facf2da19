/** Operations that are switched off, and the calls of this rank that did nothing because of that. */
@NullMarked
package io.reactivecomm.internal.switches;

import org.jspecify.annotations.NullMarked;
