/** Ground that every other package of the library may stand on: threads of its own, and the drain loop. */
@NullMarked
package io.reactivecomm.internal.base;

import org.jspecify.annotations.NullMarked;
