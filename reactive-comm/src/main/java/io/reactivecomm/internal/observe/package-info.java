/** Whom the library tells of calls, and what it tells them: the side of {@link io.reactivecomm.observe} that the engine writes. */
@NullMarked
package io.reactivecomm.internal.observe;

import org.jspecify.annotations.NullMarked;
