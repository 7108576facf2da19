/** {@code rcomm doctor}. */
@NullMarked
package io.reactivecomm.samples.bench.doctor;

import org.jspecify.annotations.NullMarked;
