/** The choice of an algorithm for each call: the library's table, a caller's rows and wishes, and what each algorithm asks of a call. */
@NullMarked
package io.reactivecomm.internal.schedule.choice;

import org.jspecify.annotations.NullMarked;
