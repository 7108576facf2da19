/** The files that a program leaves behind, where the user chose, and what it says of its progress in a terminal. */
@NullMarked
package io.reactivecomm.samples.programs.output;

import org.jspecify.annotations.NullMarked;
