/** Contracts of collectives: their results, arguments, demand, faults, and the shapes that they are tried with. */
@NullMarked
package io.reactivecomm.testkit.collective;

import org.jspecify.annotations.NullMarked;
