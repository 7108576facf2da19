/** Streams of tensors from one rank to another, made of messages; nothing here knows of engines or links. */
@NullMarked
package io.reactivecomm.stream;

import org.jspecify.annotations.NullMarked;
