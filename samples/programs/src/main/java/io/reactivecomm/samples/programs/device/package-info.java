/** The devices of a sample's ranks: the host's memory, or a GPU each, for which doubles stand in where there is none. */
@NullMarked
package io.reactivecomm.samples.programs.device;

import org.jspecify.annotations.NullMarked;
