/**
 * The engines beside the one over links: their choice by device, their opening, and the calls that they perform. Depends on the engine over links, beside
 * which they stand, and its driver, on whose loop their calls end.
 */
@NullMarked
package io.reactivecomm.internal.backend;

import org.jspecify.annotations.NullMarked;
