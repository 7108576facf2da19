/**
 * The contracts as tests: what every link and every engine must do. A module that has a link or an engine extends them in its own tests
 * and says how a pair of links, or a world of ranks, is made there. A table of what is run over which engine is in {@code docs/write-an-engine.md}.
 */
@NullMarked
package io.reactivecomm.testkit;

import org.jspecify.annotations.NullMarked;
