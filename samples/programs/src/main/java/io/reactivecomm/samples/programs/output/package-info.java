/** The files that a program leaves behind, where the user chose. */
@NullMarked
package io.reactivecomm.samples.programs.output;

import org.jspecify.annotations.NullMarked;
