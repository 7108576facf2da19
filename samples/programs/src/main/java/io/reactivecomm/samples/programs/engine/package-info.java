/** An engine to write others by: see docs/write-an-engine.md. */
@NullMarked
package io.reactivecomm.samples.programs.engine;

import org.jspecify.annotations.NullMarked;
