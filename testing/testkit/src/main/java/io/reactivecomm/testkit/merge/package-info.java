/**
 * Finds, in compiled classes, where allocations meet other values: the shape that some JVMs compile wrongly (docs/reliability.md, "Which
 * JDK").
 */
@NullMarked
package io.reactivecomm.testkit.merge;

import org.jspecify.annotations.NullMarked;
