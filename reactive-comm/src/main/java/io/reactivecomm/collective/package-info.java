/**
 * One call as data: a sealed interface with a record for each operation, checked once when it is made, and the
 * {@link io.reactivecomm.collective.Signature} on which all ranks must agree. Depends on the root package only.
 */
@NullMarked
package io.reactivecomm.collective;

import org.jspecify.annotations.NullMarked;
