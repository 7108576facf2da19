package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.train.HookFaultContract;
import org.junit.jupiter.api.Tag;

/** The contract of hooks with steps that end early, over TCP on loopback. */
@Tag("repeated")
class TcpHookContractTest extends HookFaultContract implements TcpWorlds {}
