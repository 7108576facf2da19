package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.stream.FatalChainContract;
import org.junit.jupiter.api.Tag;

/** The matrix of all publishers, over TCP on loopback: many worlds, each with a rendezvous of its own. */
@Tag("repeated")
@Tag("thorough")
class TcpFatalChainContractTest extends FatalChainContract implements TcpWorlds {}
