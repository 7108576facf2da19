/**
 * Streams of tensors from one rank to another, made of messages, and single results on their way to a subscriber; nothing here knows of
 * engines or links.
 */
@NullMarked
package io.reactivecomm.internal.stream;

import org.jspecify.annotations.NullMarked;
