/**
 * The simulator: whole worlds of progress engines in one thread, under a seeded scheduler that owns the clock, the network, the order of
 * subscription and every fault. Each schedule is compared with a sequential oracle and with the contracts; the same seed gives the same
 * schedule, so that a failure is replayed by its seed.
 */
@NullMarked
package io.reactivecomm.simulator;

import org.jspecify.annotations.NullMarked;
