/**
 * Configurations of DeepSpeed, read as they are. {@link io.reactivecomm.deepspeed.DeepSpeedConfig} gives the options of this library that they stand for, and
 * lists what has no effect here.
 */
@NullMarked
package io.reactivecomm.deepspeed;

import org.jspecify.annotations.NullMarked;
