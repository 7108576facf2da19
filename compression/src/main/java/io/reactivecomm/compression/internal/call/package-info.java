/** What all compressed calls have in common: their threads, their memory, and an end that waits for both. */
@NullMarked
package io.reactivecomm.compression.internal.call;

import org.jspecify.annotations.NullMarked;
