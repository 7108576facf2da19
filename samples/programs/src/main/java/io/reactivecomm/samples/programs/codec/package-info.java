/**
 * The codecs that commands have to choose from: {@code CodecChoice} is their names, {@code CodecSettings} what some of them can be told, {@code NamedReduction} a reduction
 * by one of them, with its state.
 */
@NullMarked
package io.reactivecomm.samples.programs.codec;

import org.jspecify.annotations.NullMarked;
