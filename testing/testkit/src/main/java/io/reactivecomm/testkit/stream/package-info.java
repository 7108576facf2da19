/** Contracts of streams and messages, and of every publisher under the rules of Reactive Streams. */
@NullMarked
package io.reactivecomm.testkit.stream;

import org.jspecify.annotations.NullMarked;
