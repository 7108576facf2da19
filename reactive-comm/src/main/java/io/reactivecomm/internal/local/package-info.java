/**
 * Behind {@link io.reactivecomm.LocalWorld}: N ranks in one JVM, links by reference, and the entry's provider. Depends on all other
 * packages.
 */
@NullMarked
package io.reactivecomm.internal.local;

import org.jspecify.annotations.NullMarked;
