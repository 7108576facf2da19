/**
 * Links that are as slow as those of a far network, for experiments on one machine: {@code LinkShape} says how. {@code DelayedSends} holds back
 * what a rank sends, {@code DelayedEvents} what it receives.
 */
@NullMarked
package io.reactivecomm.rcomm.latency;

import org.jspecify.annotations.NullMarked;
