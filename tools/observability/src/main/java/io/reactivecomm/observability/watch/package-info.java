/** A watch over a running job: what each of its ranks does, and which ranks it waits for. */
@NullMarked
package io.reactivecomm.observability.watch;

import org.jspecify.annotations.NullMarked;
