package io.reactivecomm.shm;

import io.reactivecomm.testkit.stream.FatalChainContract;
import org.junit.jupiter.api.Tag;

/** The matrix of all publishers, through shared memory: many worlds, each with a rendezvous of its own. */
@Tag("repeated")
@Tag("thorough")
class ShmFatalChainContractTest extends FatalChainContract implements ShmWorlds {}
