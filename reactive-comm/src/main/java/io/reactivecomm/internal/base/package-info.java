/** Ground that every other package of the library may stand on: threads of its own, the drain loop, words of errors, and a fault of the JVM's. */
@NullMarked
package io.reactivecomm.internal.base;

import org.jspecify.annotations.NullMarked;
