/** {@code rcomm doctor}. */
@NullMarked
package io.reactivecomm.rcomm.doctor;

import org.jspecify.annotations.NullMarked;
