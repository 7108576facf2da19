/**
 * Operations made of several collectives: objects and sparse tensors. Each is a {@link io.reactivecomm.internal.composite.Conversation}; nothing here
 * knows of engines or links.
 */
@NullMarked
package io.reactivecomm.internal.composite;

import org.jspecify.annotations.NullMarked;
